"""What every framework has to show: the same agents, looping and healthy, played through its own scripted model.

A test file brings one function `play(turns, guard, world, session) -> Played`. `turns` are the messages of the model: each is a
list of calls, and after the last one the model says "done". The functions here judge what came of it.
"""

from __future__ import annotations

import dataclasses
import linecache
import pathlib
import re
import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import loopbreak
from loopbreak._adapter import PREFIX, SafeRun

Call = tuple[str, dict[str, Any]]
LOOP: Call = ("read_file", {"path": "src/main.py"})


class World:
    """The tools. Each counts its calls, and the outcome of some depends on what was done before."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.edits = 0
        self.polls = 0
        self._lock = threading.Lock()

    def _called(self, name: str, **args: Any) -> None:
        with self._lock:
            self.calls.append((name, args))

    def read_file(self, path: str) -> str:
        """Reads a file."""
        self._called("read_file", path=path)
        return f"def {path.replace('/', '_').replace('.', '_')}(): return {len(path)}"

    def edit_file(self, path: str, text: str) -> str:
        """Writes a text to a file."""
        self._called("edit_file", path=path, text=text)
        self.edits += 1
        return f"wrote {len(text)} characters to {path}"

    def run_tests(self, target: str) -> str:
        """Runs the tests."""
        self._called("run_tests", target=target)
        return f"{9 - self.edits} failed, {self.edits} passed"

    def check_job(self, job: str) -> str:
        """Asks how far a job is."""
        self._called("check_job", job=job)
        self.polls += 1
        return f"running, {self.polls * 7} % complete"

    def list_items(self, page: int) -> str:
        """Lists one page of items."""
        self._called("list_items", page=page)
        return "\n".join(f"item {page * 3 + n}: {chr(97 + (page * 5 + n) % 26) * 4}" for n in range(3))

    def break_down(self, part: str) -> str:
        """Fails."""
        self._called("break_down", part=part)
        raise ValueError(f"no such part: {part}")


TOOLS = ("read_file", "edit_file", "run_tests", "check_job", "list_items", "break_down")

HEALTHY: dict[str, list[list[Call]]] = {
    "varied calls": [[("read_file", {"path": f"src/{name}.py"})] for name in ("lexer", "parser", "tree", "types", "emit")]
    + [[("run_tests", {"target": "unit"})], [("edit_file", {"path": "src/tree.py", "text": "x = 1"})]],
    "the same test after edits": [
        call
        for n in range(7)
        for call in (
            [("edit_file", {"path": "src/tree.py", "text": f"def grow(): return {n} * 17"})],
            [("run_tests", {"target": "unit"})],
        )
    ],
    "polling while the job moves": [[("check_job", {"job": "build-7"})] for _ in range(12)],
    "pages of a list": [[("list_items", {"page": page})] for page in range(12)],
    "parallel calls": [
        [("read_file", {"path": f"src/{name}{n}.py"}) for n in range(4)] for name in ("lexer", "parser", "tree")
    ],
    "one message that makes equal calls": [[LOOP] * 6],
}


@dataclasses.dataclass
class Played:
    """One conversation that was played."""

    requests: list[str]
    """What the model was shown, for each of its messages: the whole conversation as one text."""
    stopped: loopbreak.LoopStopped | None = None
    answer: str = ""
    """The last text, if the agent ended by itself."""


Play = Callable[..., Played]


def turn_at(turns: Sequence[Sequence[Call]], index: int) -> Sequence[Call]:
    """Returns the calls of the model's message with this index; none means that it says "done"."""
    return turns[index] if index < len(turns) else []


def first_advice(played: Played) -> int | None:
    """Returns the number of calls that were made before the model was first shown advice."""
    return next((index for index, text in enumerate(played.requests) if PREFIX.strip() in text), None)


def check_loop(play: Play, guard: Any, *, can_refuse: bool = True, stop_by: int = 16) -> Played:
    """A model that makes one call for ever is advised by call 4, refused by call 8 and stopped."""
    world = World()
    played = play([[LOOP]] * 30, guard, world, "loop")
    advised = first_advice(played)
    assert advised is not None and advised <= 4, f"advised after call {advised}"
    if can_refuse:
        assert len(world.calls) <= 7, f"{len(world.calls)} calls were made"
    assert isinstance(played.stopped, loopbreak.LoopStopped), "the run was not stopped"
    assert played.stopped.pattern and played.stopped.reason
    assert played.stopped.run
    assert len(played.requests) <= stop_by, f"stopped after {len(played.requests)} messages of the model"
    return played


def check_healthy(play: Play, new_guard: Callable[[], Any], name: str) -> None:
    """A healthy agent makes all its calls, reads no advice and ends by itself."""
    turns, world = HEALTHY[name], World()
    played = play(turns, new_guard(), world, name)
    assert len(world.calls) == sum(len(turn) for turn in turns)
    assert first_advice(played) is None, played.requests[-1]
    assert played.stopped is None
    assert "done" in played.answer


def check_fails_open(play: Play, guard: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error inside the guard changes nothing for the agent."""

    def fail(self: SafeRun) -> Any:
        raise RuntimeError("the guard is broken")

    monkeypatch.setattr(SafeRun, "_run", fail)
    world = World()
    played = play([[LOOP]] * 15, guard, world, "broken")
    assert len(world.calls) == 15
    assert played.stopped is None
    assert "done" in played.answer


def check_parallel(play: Play, guard: Any, *, can_refuse: bool = True) -> None:
    """Equal calls of one message are one attempt: three in each of two messages are no loop, in thirty messages they are."""
    world = World()
    played = play([[LOOP] * 3] * 2, guard, world, "twice")
    assert len(world.calls) == 6
    assert first_advice(played) is None
    world = World()
    played = play([[LOOP] * 3] * 30, guard, world, "often")
    advised = first_advice(played)
    assert advised is not None and 2 <= advised <= 4
    if can_refuse:
        assert 9 <= len(world.calls) <= 21, f"{len(world.calls)} calls were made"
    assert played.stopped is not None
    assert len(played.requests) <= 16, f"stopped after {len(played.requests)} messages of the model"


def check_separate(play: Play, guard: Any) -> None:
    """Two conversations of one process do not mix: neither the counts nor the stop."""
    loud = play([[LOOP]] * 30, guard, World(), "loud")
    assert loud.stopped is not None
    world = World()
    quiet = play([[LOOP]] * 2, guard, world, "quiet")
    assert len(world.calls) == 2
    assert first_advice(quiet) is None
    assert "done" in quiet.answer


def check_user_frees(play: Play, guard: Any) -> None:
    """A message of the user ends the streak: six calls before it and six after it are all made."""
    world = World()
    play([[LOOP]] * 6, guard, world, "talk")
    play([[LOOP]] * 6, guard, world, "talk")
    assert len(world.calls) == 12


def check_unknown_tool(play: Play, guard: Any) -> Played:
    """A model that calls a tool that does not exist is advised and stopped as well."""
    played = play([[("no_such_tool", {"path": "a"})]] * 30, guard, World(), "unknown")
    advised = first_advice(played)
    assert advised is not None and advised <= 5, f"advised after call {advised}"
    assert played.stopped is not None
    return played


def watch_runs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str, tuple[Any, ...], dict[str, Any]]]:
    """Returns a list that gets each call of a method of a run: method, run, positional and named arguments."""
    seen: list[tuple[str, str, tuple[Any, ...], dict[str, Any]]] = []
    for method in ("before", "after", "user", "text", "compacted", "continued"):
        original = getattr(SafeRun, method)

        def watched(
            self: SafeRun, *args: Any, _method: str = method, _original: Any = original, **named: Any
        ) -> Any:
            seen.append((_method, self.id, args, named))
            return _original(self, *args, **named)

        monkeypatch.setattr(SafeRun, method, watched)
    return seen


def usage_of(seen: list[tuple[str, str, tuple[Any, ...], dict[str, Any]]]) -> list[Any]:
    """Returns the usage that was passed on with each outcome."""
    return [
        args[4] if len(args) > 4 else named.get("usage") for method, _, args, named in seen if method == "after"
    ]


PAGES = pathlib.Path(__file__).parents[4] / "docs" / "guide" / "adapters"


def check_page(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The example of the page prints what the page says. Then the short lines at its start run with the names of the example."""
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    short, example = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    (printed,) = re.findall(r"^```text\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {"__name__": "__main__"}
    capsys.readouterr()
    # smolagents reads the source of a tool.
    linecache.cache[f"{name}.md"] = (len(example), None, example.splitlines(keepends=True), f"{name}.md")
    exec(compile(example, f"{name}.md", "exec"), names)
    assert capsys.readouterr().out == printed
    exec(compile(short, f"{name}.md", "exec"), names)
