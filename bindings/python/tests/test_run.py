"""Runs whose calls pass the guard."""

from __future__ import annotations

import asyncio
import dataclasses
import multiprocessing
import os
import pickle
import threading
from pathlib import Path
from typing import Any

import loopbreak
import pytest
from conftest import letters

LOOP = "..A..A.RRRRSS"


def test_an_agent_in_a_loop_is_advised_refused_and_stopped() -> None:
    run = loopbreak.Run("s")
    assert letters(run, 13) == LOOP
    stop = run.stopped
    assert isinstance(stop, loopbreak.LoopStopped)
    assert (stop.run, stop.pattern, stop.since) == ("s", "refused_repeat", 8)
    assert stop.loop_id and stop.reason and stop.evidence["reason"] == stop.reason
    with pytest.raises(loopbreak.LoopStopped, match="run s was stopped"):
        raise stop
    assert not isinstance(stop, loopbreak.LoopbreakError)


def test_without_outcomes_the_agent_is_advised_at_the_fourth_call() -> None:
    assert letters(loopbreak.Run("s"), 13, None, None) == "...A...RRRRSS"


def test_refusals_quote_the_call_and_advice_is_for_the_agent() -> None:
    run = loopbreak.Run("s")
    letters(run, 2)
    *_, advice = run.after("bash", {"command": "make test"}, "1 failed", True)
    assert advice.audience == "agent" and str(advice) == advice.text and "1 failed" in advice.text
    letters(run, 4)
    ruling = run.before("bash", {"command": "make test"})
    assert ruling.decision == "refuse" and not ruling and not ruling.accepted
    assert "make test" in ruling.text and "Other calls are allowed" in ruling.text
    assert ruling.to_dict()["decision"] == "refuse"
    assert run.before("bash", {"command": "ls"}).text == ""


def test_a_word_of_the_user_ends_the_streak_and_the_end() -> None:
    run = loopbreak.Run("s")
    letters(run, 12)
    assert run.stopped is not None
    run.user("try it again")
    assert run.stopped is None
    assert letters(run, 8) == "..A..A.R"
    run = loopbreak.Run("s")
    letters(run, 12)
    run.user()
    assert run.stopped is None, "a message whose text is not known"


def test_texts_compactions_and_continuations_are_taken() -> None:
    run = loopbreak.Run("s")
    assert [run.text("hello"), run.compacted(), run.continued(), run.user("go")] == [[], [], [], []]
    advice = [advice for _ in range(30) for advice in run.text("I will now do the next thing. " * 3)]
    assert advice, "an agent that repeats itself"


def test_the_settings_decide() -> None:
    assert letters(loopbreak.Run("s", {"mode": "observe"}), 20) == "." * 20
    assert letters(loopbreak.Run("s", {"policy": {"insist": 2}}), 10) == "..A..A.RSS"
    assert letters(loopbreak.Run("s", loopbreak.Config(policy={"insist": 0})), 20).endswith("R" * 13)


def test_a_budget_ends_the_run() -> None:
    run = loopbreak.Run("s", {"budget": {"max_cost": 1.0}})
    for number in range(4):
        assert run.before("work", {"n": number}).accepted
        run.after("work", {"n": number}, f"done {number}", usage={"cost_usd": 0.3, "input_tokens": 5})
    assert run.stopped is not None
    assert run.before("other").decision == "stop"


def test_calls_of_one_message_are_one_decision() -> None:
    run = loopbreak.Run("s")
    for _ in range(12):
        assert run.before("bash", {"command": "make"}, batch="m1").accepted
        assert run.after("bash", {"command": "make"}, "1 failed", True, batch="m1") == []


class Model:
    """Looks like a Pydantic model."""

    def model_dump(self) -> dict[str, Any]:
        return {"path": "a.py", "lines": (1, 2)}


@dataclasses.dataclass
class Point:
    x: int
    y: object = None


class Hostile:
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


def hostile_values() -> list[object]:
    cycle: list[object] = []
    cycle.append(cycle)
    deep: object = 0
    for _ in range(10_000):
        deep = [deep]
    wide: object = "x" * 1000
    for _ in range(60):
        wide = [wide, wide]
    return [
        None,
        "",
        "text",
        '{"command": "ls"}',
        '{"broken',
        b"\xff\xfe",
        bytearray(b"x"),
        float("nan"),
        float("inf"),
        2**70,
        10**6000,
        -1,
        True,
        {1: 2, None: 3, ("a",): 4},
        {"a", "b"},
        "\ud800 lone",
        {"\ud800": "\udfff"},
        cycle,
        deep,
        wide,
        Model(),
        Point(1, Point(2)),
        Hostile(),
        object,
        lambda: None,
        ValueError("broken"),
        "x" * 5_000_000,
    ]


@pytest.mark.parametrize("value", hostile_values(), ids=lambda value: type(value).__name__)
def test_any_arguments_and_outcomes_are_taken(value: object) -> None:
    run = loopbreak.Run("s")
    assert run.before("tool", value).accepted
    run.after("tool", value, value, value if isinstance(value, (str, bool, Exception)) else None)
    run.user(value)
    run.text(value)
    assert run.stopped is None
    run.snapshot()


def test_a_very_long_outcome_is_read_in_bounded_time() -> None:
    run = loopbreak.Run("s")
    run.after("tool", {"a": 1}, "ab c\n" * 10_000_000)
    assert len(run.snapshot()) < 100_000


def test_equal_arguments_are_equal_calls() -> None:
    for args in ([{"command": "make"}, '{"command": "make"}'], [Model(), {"path": "a.py", "lines": [1, 2]}]):
        run = loopbreak.Run("s")
        word = ""
        for number in range(8):
            ruling = run.before("t", args[number % 2])
            word += "." if ruling.accepted else "R"
            if ruling.accepted:
                run.after("t", args[number % 2], "no", True)
        assert word == ".......R"


def test_wrong_types_are_errors() -> None:
    run = loopbreak.Run("s")
    for call in (
        lambda: run.before(5),  # type: ignore[arg-type]
        lambda: run.before(None),  # type: ignore[arg-type]
        lambda: run.after("x", agent=5),  # type: ignore[arg-type]
        lambda: loopbreak.Run(None),
    ):
        with pytest.raises(TypeError):
            call()
    for invalid in (
        lambda: run.after("x", denied="moon"),  # type: ignore[arg-type]
        lambda: run.after("x", usage={"input_tokens": -1}),
        lambda: run.after("x", usage={"input_tokens": 2**70}),
        lambda: loopbreak.Run(""),
        lambda: loopbreak.Run("a\nb"),
        lambda: loopbreak.Run("x" * 1000),
        lambda: loopbreak.Runs(max_runs=0),
    ):
        with pytest.raises(ValueError):
            invalid()
    assert run.turn == 0


def test_a_run_continues_from_its_snapshot() -> None:
    run = loopbreak.Run("s", {"policy": {"insist": 3}})
    word = ""
    for number in range(12):
        word += letters(run, 1)
        if number % 3 == 0:
            run = loopbreak.Run.restore(run.snapshot(), config={"policy": {"insist": 3}})
        elif number % 3 == 1:
            run = pickle.loads(pickle.dumps(run))
    assert word == "..A..A.RRSSS"
    assert run.id == "s" and run.stopped is not None
    stop = pickle.loads(pickle.dumps(run.stopped))
    assert (stop.run, stop.reason) == (run.stopped.run, run.stopped.reason)
    for text in ("", "{}", "[]", "x" * 100, '{"guard":{"version":99,"state":{}}}'):
        with pytest.raises(loopbreak.SnapshotError):
            loopbreak.Run.restore(text, "s")


def test_a_store_is_shared(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    word = ""
    for number in range(13):
        run = loopbreak.Run("s", store=store if number % 2 else str(store))
        word += letters(run, 1)
    assert word == LOOP
    assert run.stopped is not None and loopbreak.Run("s", store=store).stopped is not None
    assert loopbreak.Run("other", store=store).stopped is None
    again = pickle.loads(pickle.dumps(run))
    assert again.before("bash", {"command": "ls"}).decision == "stop"
    assert letters(loopbreak.Run("t", store=True), 8) == "..A..A.R"
    assert (tmp_path / "state" / "loopbreak" / "loopbreak.db").is_file()


def _call_in_process(store: str, count: int, queue: Any) -> None:
    run = loopbreak.Run("s", store=store)
    queue.put(letters(run, count))


@pytest.mark.parametrize("method", ["spawn", "fork"])
def test_processes_guard_one_run(tmp_path: Path, method: str) -> None:
    store = str(tmp_path / "runs.db")
    # The connection of this process must not be used by a fork.
    assert letters(loopbreak.Run("s", store=store), 1) == "."
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    processes = [context.Process(target=_call_in_process, args=(store, 6, queue)) for _ in range(2)]
    for process in processes:
        process.start()
    words = [queue.get(timeout=60) for _ in processes]
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    run = loopbreak.Run("s", store=store)
    # Processes can pass `before` at the same time, so one call more may be made.
    refused = sum(word.count("R") + word.count("S") for word in words)
    assert run.turn + refused == 13 and 7 <= run.turn <= 8


def test_a_store_that_cannot_be_used_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for store in (tmp_path / "file" / "x.db", "postgres://x/y", ""):
        with pytest.raises(loopbreak.StoreError):
            loopbreak.Run("s", store=store).before("x")
    with pytest.raises((TypeError, loopbreak.StoreError)):
        loopbreak.Run("s", store=5)  # type: ignore[arg-type]


def test_a_damaged_store_works_again(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    store.write_bytes(b"not a database" * 1000)
    run = loopbreak.Run("s", store=store)
    assert letters(run, 8) == "..A..A.R"


def test_threads_share_a_run() -> None:
    run = loopbreak.Run("s", {"mode": "observe"})
    threads = [threading.Thread(target=letters, args=(run, 200)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert run.turn == 1600


def test_threads_with_long_texts_do_not_block_each_other() -> None:
    run = loopbreak.Run("s", {"mode": "observe"})
    text = "line of a log\n" * 40_000

    def work() -> None:
        for _ in range(5):
            run.before("t", {"text": text})
            run.after("t", {"text": text}, text)
            run.snapshot()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    assert run.turn == 20


def test_tasks_of_asyncio_share_a_run() -> None:
    async def main() -> int:
        runs = loopbreak.Runs({"mode": "observe"})

        async def agent() -> None:
            for _ in range(20):
                await asyncio.to_thread(letters, runs.get("s"), 1)

        await asyncio.gather(*(agent() for _ in range(5)))
        return runs.get("s").turn

    assert asyncio.run(main()) == 100


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_fork_can_use_runs_of_its_parent() -> None:
    run = loopbreak.Run("s")
    letters(run, 5)
    child = os.fork()
    if child == 0:
        os._exit(0 if letters(run, 3) == "A.R" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert letters(run, 3) == "A.R"


def test_runs_are_kept_by_id_and_old_ones_as_snapshots() -> None:
    runs = loopbreak.Runs(max_runs=2)
    for _ in range(7):
        for name in "abcdef":
            letters(runs.get(name), 1)
    assert len(runs) == 6 and "a" in runs and "z" not in runs
    assert [letters(runs.get(name), 1) for name in "abcdef"] == ["R"] * 6
    held = runs.get("a")
    for name in "bcdef":
        runs.get(name)
    letters(held, 1)
    assert runs.get("a").turn == held.turn, "a run that somebody holds is not replaced"
    runs.forget("a")
    assert runs.get("a").turn == 0


def test_the_number_of_runs_is_bounded() -> None:
    runs = loopbreak.Runs(max_runs=3)
    for number in range(200):
        letters(runs.get(number), 1)
    assert len(runs) <= 3 * 17
    assert repr(runs).startswith("Runs(runs=")


def test_runs_share_a_store(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    runs = loopbreak.Runs(store=store, max_runs=1)
    for _ in range(7):
        for name in "ab":
            letters(runs.get(name), 1)
    assert letters(loopbreak.Runs(store=store).get("a"), 1) == "R"
