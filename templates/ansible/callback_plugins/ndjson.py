"""Prints one JSON object a line: what a playbook does, host by host, and the facts its scripts report, which the runner judges."""

from __future__ import annotations

DOCUMENTATION = """
name: ndjson
type: stdout
short_description: one JSON object a line
description: Events for programs; the format is in templates/ansible/README.md.
"""

import json
import os
import re
import sys
import time

from ansible.plugins.callback import CallbackBase

# user:password@ in a URL (a proxy's, for example) must not get into logs.
CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")
MESSAGE_LIMIT = 2000
# What a host prints beyond these is not passed on.
WORDS_LIMIT = 500
LINES_LIMIT = 200
FACT_LIMIT = 1_000_000
# In front of each event, so that no words of a host, which Ansible may print, can be taken for one.
MARK = os.environ.get("KUBELOOM_EVENT_MARK", "")


def masked(text):
    return CREDENTIALS.sub("***@", text)


def last_words(result):
    """The script's own words: its stderr, else what Ansible says; the end is kept, since causes come last."""
    for key in ("stderr", "msg", "module_stderr", "stdout"):
        text = str(result.get(key) or "").strip()
        if text and text != "non-zero return code":
            return masked(text)[-MESSAGE_LIMIT:]
    return "no message"


def protocol_lines(result, word, limit=WORDS_LIMIT):
    """The lines `word: …` that a script printed, of each `limit` characters and one more, as a sign that there were more."""
    prefix = word + ": "
    lines = str(result.get("stdout") or "").split("\n")
    found = [masked(line[len(prefix):].strip()[: limit + 1]) for line in lines if line.startswith(prefix)]
    return found[:LINES_LIMIT]


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "ndjson"

    def emit(self, event, **fields):
        line = json.dumps({"event": event, "time": round(time.time(), 3), **fields}, default=str)
        sys.stdout.write(MARK + line + "\n")
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
        facts = protocol_lines(values, "fact", FACT_LIMIT - 1)
        if facts:
            self.emit("facts", host=host, lines=facts)

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
