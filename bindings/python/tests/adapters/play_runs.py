"""What the tests of several frameworks share beside `cases`: what really arrives at the guard, and a guard that fails."""

from __future__ import annotations

from typing import Any

import pytest

from loopbreak._adapter import AdapterRuns, SafeRun


class RecordedRun:
    """A run that notes what it is told."""

    def __init__(self, run: Any, run_id: str, notes: list[dict[str, Any]]) -> None:
        self._run, self._id, self._notes = run, run_id, notes

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._run, name)
        if not callable(found):
            return found

        def noted(*args: Any, **named: Any) -> Any:
            answer = found(*args, **named)
            self._notes.append({"run": self._id, "method": name, "args": args, "answer": answer, **named})
            return answer

        return noted


def record_runs(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Returns a list that gets each call of a method of the guard's runs, with its answer."""
    notes: list[dict[str, Any]] = []
    original = SafeRun._run
    monkeypatch.setattr(SafeRun, "_run", lambda self: RecordedRun(original(self), self.id, notes))
    return notes


def of(notes: list[dict[str, Any]], method: str) -> list[dict[str, Any]]:
    """Returns the notes about one method."""
    return [one for one in notes if one["method"] == method]


def usages(notes: list[dict[str, Any]]) -> list[Any]:
    """Returns the usage that arrived with each call."""
    return [one["args"][4] for one in of(notes, "after")]


class Panic(BaseException):
    """As the native module raises it: it is no `Exception`."""


def break_guard(monkeypatch: pytest.MonkeyPatch, error: type[BaseException]) -> None:
    """Makes each use of the guard raise."""

    def fail(self: Any) -> Any:
        raise error("the guard is broken")

    monkeypatch.setattr(SafeRun, "_run", fail)


def errors_of(**options: Any) -> tuple[AdapterRuns, list[BaseException]]:
    """Returns runs, and a list that gets their errors."""
    errors: list[BaseException] = []
    return AdapterRuns(on_error=errors.append, **options), errors
