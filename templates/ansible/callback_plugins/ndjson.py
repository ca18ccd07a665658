"""Prints one JSON object a line: what a playbook does, host by host, and the facts its scripts report."""

from __future__ import annotations

DOCUMENTATION = """
name: ndjson
type: stdout
short_description: one JSON object a line
description: Events for programs; the format is in templates/ansible/README.md.
"""

import json
import re
import sys
import time

from ansible.plugins.callback import CallbackBase

# user:password@ in a URL (a proxy's, for example) must not get into logs.
CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")
MESSAGE_LIMIT = 2000


def masked(text):
    return CREDENTIALS.sub("***@", text)


def last_words(result):
    """The script's own words: its stderr, else what Ansible says; the end is kept, since causes come last."""
    for key in ("stderr", "msg", "module_stderr", "stdout"):
        text = str(result.get(key) or "").strip()
        if text and text != "non-zero return code":
            return masked(text)[-MESSAGE_LIMIT:]
    return "no message"


def protocol_lines(result, word):
    """The lines `word: …` that a script printed."""
    prefix = word + ": "
    return [masked(line[len(prefix):].strip()) for line in result.get("stdout_lines") or [] if line.startswith(prefix)]


def parsed_facts(result):
    facts = {}
    for line in protocol_lines(result, "fact"):
        key, _, value = line.partition("=")
        try:
            facts[key] = json.loads(value)
        except ValueError:
            facts[key] = value
    return facts


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "ndjson"

    def emit(self, event, **fields):
        line = json.dumps({"event": event, "time": round(time.time(), 3), **fields}, default=str)
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def v2_playbook_on_play_start(self, play):
        self.emit("play", name=play.get_name())

    def v2_playbook_on_task_start(self, task, is_conditional):
        self.emit("task", name=task.get_name())

    def v2_runner_on_ok(self, result):
        host, task, values = result._host.get_name(), result._task.get_name(), result._result
        self.emit(
            "ok",
            host=host,
            task=task,
            changed=bool(values.get("changed")),
            what=protocol_lines(values, "changed"),
            notes=protocol_lines(values, "note"),
        )
        facts = parsed_facts(values)
        if facts:
            self.emit("facts", host=host, **facts)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self.emit(
            "failed",
            host=result._host.get_name(),
            task=result._task.get_name(),
            message=last_words(result._result),
            exitCode=result._result.get("rc"),
            ignored=bool(ignore_errors),
        )

    def v2_runner_on_unreachable(self, result):
        self.emit(
            "unreachable",
            host=result._host.get_name(),
            task=result._task.get_name(),
            message=last_words(result._result),
            ignored=bool(result._task_fields.get("ignore_unreachable")),
        )

    def v2_playbook_on_stats(self, stats):
        rows = {}
        for host in sorted(stats.processed):
            row = stats.summarize(host)
            rows[host] = {key: row[key] for key in ("ok", "changed", "failures", "unreachable")}
        self.emit("stats", hosts=rows)
