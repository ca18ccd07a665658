"""Runs a script on the node. It travels over stdin, since one argument of ssh holds 128 KB at most and a script carries its data."""

from __future__ import annotations

import ctypes
import re
import signal

from ansible.plugins.action import ActionBase

# The whole script is read before its first command runs: commands that read their input find none.
INTERPRETER = """/bin/bash -c 'eval "$(cat)"'"""


PR_SET_PDEATHSIG = 1


def end_with_parent():
    """Since 2.19 each worker leads a session of its own: who kills Ansible does not reach it, and it would continue alone."""
    try:
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    except AttributeError:
        pass  # Only Linux has it.


class ActionModule(ActionBase):
    _VALID_ARGS = frozenset(("script",))

    def run(self, tmp=None, task_vars=None):
        end_with_parent()
        result = super().run(tmp, task_vars)
        script = self._task.args["script"].encode()
        result.update(self._low_level_execute_command(INTERPRETER, in_data=script))
        result["changed"] = bool(re.search(r"^changed: ", result["stdout"], re.MULTILINE))
        if result["rc"] != 0:
            result.update(failed=True, msg="non-zero return code")
        return result
