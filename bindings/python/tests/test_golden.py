"""The golden files of the engine: equal to the byte, whether a step is passed on as a text, a dict or a Step."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import loopbreak

GOLDEN = Path(__file__).parents[3] / "crates" / "loopbreak" / "tests" / "golden"
FILES = sorted(path.name for path in GOLDEN.glob("*.jsonl"))

Form = Callable[[str], Any]
FORMS: dict[str, Form] = {
    "text": lambda text: text,
    "dict": json.loads,
    "Step": lambda text: loopbreak.Step(json.loads(text)),
}


def test_the_golden_files_are_there() -> None:
    assert {"calls.jsonl", "random.jsonl", "snapshots.jsonl"} <= set(FILES)


def inner(line: str, key: str) -> str:
    """Returns the text of the only value of a line."""
    start = f'{{"{key}":'
    assert line.startswith(start) and line.endswith("}")
    return line[len(start) : -1]


class GoldenPlayer:
    """Plays lines, and compares the answers."""

    def __init__(self, form: Form) -> None:
        self.form = form
        self.guard = loopbreak.Guard()
        self.series = loopbreak.Series()
        self.config: dict[str, Any] = {}
        self.answers = 0

    def play(self, line: str, lines: Iterator[str]) -> None:
        read = json.loads(line)
        (key,) = read
        if key == "guard":
            self.config = read[key]["config"]
            self.guard = loopbreak.Guard(self.config, run=read[key]["run"])
            return
        if key == "series":
            self.config = read[key]["config"]
            self.series = loopbreak.Series(self.config)
            return
        expected = next(lines)
        self.answers += 1
        if key == "observe":
            assert self.guard.observe(self.form(inner(line, key))).to_json() == expected, line
        elif key == "weigh":
            proposal = inner(line, key)
            # A proposal is not a step.
            proposal = proposal if self.form("{}") == "{}" else json.loads(proposal)
            assert self.guard.weigh(proposal).to_json() == expected, line
        elif key == "conclude":
            steps = [self.form(json.dumps(step)) for step in read[key]["steps"]]
            assert self.series.conclude(read[key]["run"], steps).to_json() == expected, line
        else:
            assert key == "snapshot", line
            mine, engine = json.loads(self.guard.snapshot()), json.loads(expected)
            assert {name: mine[name] for name in engine} == engine
            # Restored from the snapshot of the engine: every later verdict has to be equal all the same.
            self.guard = loopbreak.Guard.restore(expected, self.config)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", FILES)
def test_verdicts_and_rulings_are_equal_to_the_byte(name: str, form: str) -> None:
    # Only "\n" ends a line: texts contain other separators.
    lines = iter((GOLDEN / name).read_text(encoding="utf-8").rstrip("\n").split("\n"))
    player = GoldenPlayer(FORMS[form])
    for line in lines:
        player.play(line, lines)
    assert player.answers >= 100
