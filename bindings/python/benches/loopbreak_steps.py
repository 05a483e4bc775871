"""Measures ``Guard.observe`` on the steps of a log: ``loopbreak_steps.py text|dict LOG``. Prints the seconds of a step."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

import loopbreak

ROUNDS = 40


def main() -> None:
    form, log = sys.argv[1:]
    lines = Path(log).read_text(encoding="utf-8").splitlines()
    steps: list[Any] = lines if form == "text" else [json.loads(line) for line in lines]
    best = float("inf")
    findings = 0
    for _ in range(ROUNDS):
        guard = loopbreak.Guard()
        observe = guard.observe
        started = perf_counter()
        verdicts = [observe(step) for step in steps]
        best = min(best, (perf_counter() - started) / len(steps))
        findings += sum(len(verdict.findings) for verdict in verdicts)
    assert findings > 0, "the log has no findings: it is not the one to measure"
    print(best)


main()
