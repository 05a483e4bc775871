"""Input that no agent should send, and uses that no guard should suffer from. Nothing here may crash or block the interpreter."""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

import pytest

import loopbreak

CALL = {"action": {"name": "bash", "args": {"command": "make"}}, "outcome": {"text": "error 2", "error": True}}


@pytest.mark.parametrize("step", [None, 7, 2.5, True, b"\xff", [], [CALL], object(), (1, 2), {1, 2}])
def test_a_step_of_the_wrong_type_is_refused_with_its_type(step: Any) -> None:
    guard = loopbreak.Guard()
    with pytest.raises((TypeError, loopbreak.StepError)) as caught:
        guard.observe(step)
    assert len(str(caught.value)) < 1000
    assert guard.turn == 0, "nothing was observed"


@pytest.mark.parametrize(
    "text",
    ["", "null", "7", "[]", "{", '{"turn":-1}', '{"action":{"args":{}}}', "[" * 100_000, '{"a":' * 5000 + "1" + "}" * 5000, "\ud800"],
    ids=["empty", "null", "number", "list", "open", "negative turn", "no name", "deep list", "deep object", "lone surrogate"],
)
def test_a_text_that_is_no_step_never_crashes(text: str) -> None:
    guard = loopbreak.Guard()
    try:
        guard.observe(text)
    except (ValueError, TypeError) as error:
        assert len(str(error)) < 1000
    guard.observe(CALL)


def test_a_cycle_of_objects_ends_with_an_error() -> None:
    args: dict[str, Any] = {}
    args["self"] = args
    items: list[Any] = []
    items.append(items)
    guard = loopbreak.Guard()
    for value in (args, items):
        with pytest.raises((ValueError, RecursionError)):
            guard.observe({"action": {"name": "bash", "args": value}})
    # The calls of an agent are more lenient: its tool may have such arguments.
    assert loopbreak.Run("cycle").before("bash", args).accepted


def test_numbers_that_json_does_not_have() -> None:
    guard = loopbreak.Guard()
    for number in (math.nan, math.inf, -math.inf):
        try:
            guard.observe({"score": number})
        except ValueError as error:
            assert "turn" not in str(error).splitlines()[0][:4]
    for number in (10**30, -(10**30)):
        try:
            guard.observe({"action": {"name": "f", "args": {"n": number}}})
        except ValueError:
            pass
    json.loads(guard.observe(CALL).to_json())
    json.loads(guard.snapshot())


def test_sets_that_are_nested_without_end_or_share_their_items_are_bounded() -> None:
    deep: Any = frozenset(["x"])
    for _ in range(100_000):
        deep = frozenset([deep])
    wide: Any = frozenset(["x" * 1000])
    for _ in range(40):
        wide = frozenset([(wide, 0), (wide, 1)])
    run = loopbreak.Run("sets")
    for value in (deep, {"a": wide}):
        assert run.before("tool", value).accepted
    run.after("tool", {}, deep)
    assert len(run.snapshot()) < 100_000


def test_a_mapping_that_is_no_dict_is_taken_as_one() -> None:
    step = {"action": {"name": "bash", "args": MappingProxyType({"command": "make"})}, "outcome": "error 2"}
    one, other = loopbreak.Guard(MappingProxyType({"mode": "observe"})), loopbreak.Guard({"mode": "observe"})
    plain = {"action": {"name": "bash", "args": {"command": "make"}}, "outcome": "error 2"}
    assert [one.observe(MappingProxyType(step)).to_json() for _ in range(4)] == [other.observe(plain).to_json() for _ in range(4)]
    run = loopbreak.Run("s", MappingProxyType({"budget": {"max_cost": 1.0}}))
    run.after("work", MappingProxyType({"n": 1}), "done", usage=MappingProxyType({"cost_usd": 2.0}))
    assert run.stopped is not None
    with pytest.raises(ValueError, match="cost_usd must be a number of US dollars"):
        run.after("work", {}, "done", usage={"cost_usd": "much"})


class BrokenMapping(Mapping[str, Any]):
    """Fails while it is read."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("no value")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no keys")

    def __len__(self) -> int:
        return 1


def test_a_mapping_that_fails_is_an_error_of_a_step_and_none_of_a_call() -> None:
    with pytest.raises(RuntimeError, match="no keys"):
        loopbreak.Guard().observe(BrokenMapping())
    assert loopbreak.Run("s").before("tool", BrokenMapping()).accepted


def test_fifty_megabytes_in_one_step_are_bounded() -> None:
    guard = loopbreak.Guard()
    text = "x" * 50_000_000
    verdict = guard.observe({"action": {"name": "cat", "args": {"path": "big"}}, "outcome": text})
    assert len(verdict.to_json()) < 64_000
    assert len(guard.snapshot()) < 80_000
    run = loopbreak.Run("big")
    assert run.before("cat", {"path": text}).accepted
    run.after("cat", {"path": "big"}, "done")
    assert len(run.snapshot()) < 100_000


def test_bytes_that_are_no_utf8_do_not_stop_a_run() -> None:
    run = loopbreak.Run("bytes")
    assert run.before("cat", {"raw": b"\xff\xfe\x00"}).accepted
    run.after("cat", {"raw": b"\xff\xfe\x00"}, b"\xc3\x28")
    run.after("cat", {}, "half a pair: \ud83d")


def test_threads_share_a_guard_and_count_every_step() -> None:
    guard = loopbreak.Guard()
    run = loopbreak.Run("shared")
    failures: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for index in range(50):
                guard.observe({"action": {"name": "read", "args": {"path": f"{number}/{index}"}}, "outcome": str(index)})
                run.before("read", {"path": f"{number}/{index}"})
                run.after("read", {"path": f"{number}/{index}"}, str(index))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not failures and not any(thread.is_alive() for thread in threads)
    assert guard.turn == 400


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_that_was_forked_after_the_import_works() -> None:
    code = """
import os, loopbreak
guard = loopbreak.Guard()
guard.observe({"say": "before"})
child = os.fork()
if child == 0:
    for _ in range(3):
        verdict = guard.observe({"action": "make", "outcome": "error 2"})
    os._exit(0 if verdict.findings else 3)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 0
assert guard.turn == 1, "the child has a guard of its own"
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)


def test_a_task_that_is_cancelled_leaves_the_run_usable() -> None:
    async def agent(run: loopbreak.Run) -> None:
        while True:
            if run.before("wait", {}).accepted:
                await asyncio.sleep(0.001)
                run.after("wait", {}, "still running")
            await asyncio.sleep(0)

    async def main() -> None:
        run = loopbreak.Run("cancelled")
        task = asyncio.create_task(agent(run))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        turn = run.turn
        run.before("read", {"path": "a"})
        run.after("read", {"path": "a"}, "text")
        assert run.turn > turn

    asyncio.run(main())


def test_other_threads_run_while_a_long_step_is_judged() -> None:
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.001):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    line = json.dumps({"action": {"name": "cat"}, "outcome": {"text": "word " * 2_000_000, "error": True}})
    started = time.perf_counter()
    loopbreak.Guard().observe(line)
    took = time.perf_counter() - started
    done.set()
    thread.join()
    assert ticks > 0 or took < 0.05


def test_two_runs_of_one_id_in_memory_are_two_runs() -> None:
    one, other = loopbreak.Run("same"), loopbreak.Run("same")
    for _ in range(8):
        one.before("make", {})
        one.after("make", {}, "error 2", error=True)
    assert not one.before("make", {}).accepted
    assert other.before("make", {}).accepted
