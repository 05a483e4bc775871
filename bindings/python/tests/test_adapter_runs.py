"""What all adapters are made of, without a framework: runs that never raise, and calls that are counted once."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from test_run import hostile_values

import loopbreak
from loopbreak._adapter import AdapterRuns, SafeRun, as_args, as_text
from loopbreak._turns import ModelTurns

LOOP = ("bash", {"command": "make test"})


def letters(run: SafeRun, count: int) -> str:
    """Makes identical calls: ``.`` allowed, ``A`` followed by advice, ``R`` refused, ``S`` stopped."""
    word = ""
    for _ in range(count):
        ruling = run.before(*LOOP)
        if ruling.accepted:
            word += "A" if run.after(*LOOP, "1 failed", True) else "."
        else:
            word += {"refuse": "R", "stop": "S"}[ruling.decision]
    return word


def test_a_loop_is_advised_refused_and_stopped() -> None:
    run = AdapterRuns().run("s")
    assert letters(run, 13) == "..A..A.RRRRSS"
    assert run.stopped is not None and run.stopped.run == "s"
    with pytest.raises(loopbreak.LoopStopped):
        run.raise_if_stopped()
    run.user("go on")
    assert run.stopped is None


class Panic(BaseException):
    """As the native module raises it: it is no `Exception`."""


@pytest.mark.parametrize("error", [RuntimeError, Panic, RecursionError, MemoryError])
def test_a_guard_that_fails_is_reported_and_never_raises(
    error: type[BaseException], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: SafeRun) -> Any:
        raise error("the guard is broken")

    monkeypatch.setattr(SafeRun, "_run", fail)
    errors: list[BaseException] = []
    run = AdapterRuns(on_error=errors.append).run("s")
    with caplog.at_level(logging.WARNING, logger="loopbreak"):
        for _ in range(3):
            assert run.before(*LOOP).accepted and run.after(*LOOP, "1 failed", True) == []
            run.user("x")
            run.text("y")
            run.compacted()
            run.continued()
        assert run.stopped is None and run.snapshot() is None
    assert len(errors) > 10 and all(isinstance(found, error) for found in errors)
    assert len(caplog.records) == 1, "logged once"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, asyncio.CancelledError])
def test_what_ends_a_program_or_a_task_passes(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: SafeRun) -> Any:
        raise error

    monkeypatch.setattr(SafeRun, "_run", fail)
    with pytest.raises(error):
        AdapterRuns().run("s").before(*LOOP)


def test_an_on_error_that_fails_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(error: BaseException) -> None:
        raise ValueError("the handler is broken")

    monkeypatch.setattr(SafeRun, "_run", lambda self: None)
    assert AdapterRuns(on_error=fail).run("s").before(*LOOP).accepted


@pytest.mark.parametrize("value", hostile_values(), ids=lambda value: type(value).__name__)
def test_any_arguments_and_outcomes_are_taken(value: object) -> None:
    errors: list[BaseException] = []
    run = AdapterRuns(on_error=errors.append).run("s")
    assert run.before("tool", value, call_id="c").accepted
    run.after("tool", value, value, call_id="c")
    as_args(value)
    assert isinstance(as_text(value), str)
    assert errors == []


def test_equal_values_of_other_types_are_the_same_arguments() -> None:
    args = {"path": "a.py", "lines": [1, 2]}
    assert as_args(MappingProxyType({"path": "a.py", "lines": (1, 2)})) == args
    assert as_args({"lines": {2, 1}, "path": "a.py"}) == args
    assert as_args(None) is None and as_args('{"a": 1}') == '{"a": 1}'


def two_adapters(tmp_path: Path | None) -> Iterator[tuple[SafeRun, SafeRun]]:
    """Yields two adapters that guard the same run: with the same `runs`, or with runs of their own in one store."""
    for store in (None, tmp_path / "runs.db") if tmp_path else (None,):
        first = AdapterRuns(store=store)
        second = first if store is None else AdapterRuns(store=store)
        yield first.run("s"), second.run("s")


def test_a_call_that_two_adapters_see_is_counted_once(tmp_path: Path) -> None:
    for outer, inner in two_adapters(tmp_path):
        word = ""
        for number in range(13):
            call_id = f"call-{number}"
            rulings = [run.before(*LOOP, call_id=call_id) for run in (outer, inner)]
            assert rulings[0].decision == rulings[1].decision or number == 7, number
            if rulings[0].accepted:
                advice = [run.after(*LOOP, "1 failed", True, call_id=call_id) for run in (inner, outer)]
                word += "A" if advice[0] else "."
                assert advice[1] == []
            else:
                word += "S" if rulings[0].stopped else "R"
        assert word.startswith("..A..A.R") and word.endswith("S"), word


def test_a_call_id_that_is_used_again_does_not_hide_a_loop() -> None:
    run = AdapterRuns().run("s")
    word = ""
    for _ in range(8):
        ruling = run.before(*LOOP, call_id="call-0")
        word += "." if ruling.accepted else "R"
        if ruling.accepted:
            run.after(*LOOP, "1 failed", True, call_id="call-0")
    assert word == ".......R"


def test_calls_without_an_id_are_each_counted() -> None:
    assert letters(AdapterRuns().run("s"), 8) == "..A..A.R"


def test_threads_of_one_adapter_count_every_call() -> None:
    runs = AdapterRuns({"mode": "observe"})

    def work(name: str) -> None:
        for number in range(100):
            run = runs.run(name)
            run.before("read", {"n": number}, call_id=f"{name}-{number}")
            run.after("read", {"n": number}, f"text {number}", call_id=f"{name}-{number}")

    names = ["a", "b", "c"] * 2
    threads = [threading.Thread(target=work, args=(f"{name}",)) for name in names[:3]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [runs._runs.get(name).turn for name in "abc"] == [100] * 3


def test_advice_about_texts_is_kept_for_the_next_call() -> None:
    run = AdapterRuns().run("s")
    for _ in range(20):
        run.text("I will now do the next thing and then the one after it. " * 2)
    assert run.before("ls", {}).accepted
    assert run.after("ls", {}, "a b c"), "the advice about the texts"
    assert run.after("ls", {"path": "d"}, "d e f") == []


def test_ids_of_any_form_name_a_run() -> None:
    runs = AdapterRuns()
    for name in ("", "a\nb", "x" * 1000, None, 7, "\ud800", "é" * 300):
        assert runs.run(name).before(*LOOP).accepted
        assert len(runs.run(name).id.encode()) <= 200
    assert runs.run("x" * 1000).id != runs.run("x" * 1001).id


def test_conversations_that_are_not_used_are_forgotten() -> None:
    turns = ModelTurns()
    for number in range(3000):
        turns.begin(number, {"input_tokens": 1})
    assert turns.batch(0) is None and turns.batch(2999) is not None
    assert turns.take_usage(2999) == {"input_tokens": 1} and turns.take_usage(2999) is None


def test_a_wrong_config_is_an_error_at_once() -> None:
    with pytest.raises(loopbreak.ConfigError):
        AdapterRuns({"cycle": {"warn_at": 0}})
