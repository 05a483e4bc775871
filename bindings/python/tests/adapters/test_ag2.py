from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("ag2")

import loopbreak
from ag2.config import LLMClient
from ag2.events import (
    CompactionCompleted,
    ModelMessage,
    ModelResponse,
    ToolCallEvent,
    ToolCallsEvent,
    ToolErrorEvent,
    Usage,
)
from ag2.middleware import BaseMiddleware, Middleware
from ag2.testing import TestConfig
from cases import (
    HEALTHY,
    LOOP,
    TOOLS,
    Played,
    World,
    check_fails_open,
    check_healthy,
    check_loop,
    check_page,
    check_parallel,
    check_separate,
    check_unknown_tool,
    check_user_frees,
    usage_of,
    watch_runs,
)
from loopbreak.ag2 import Loopbreak

from ag2 import Agent, Context


class Watched(BaseMiddleware):
    """Notes what the model is shown, behind the guard."""

    def __init__(self, event: Any, context: Any, requests: list[str]) -> None:
        super().__init__(event, context)
        self.requests = requests

    async def on_llm_call(self, call_next: Any, events: Any, context: Any) -> Any:
        self.requests.append("\n".join(_shown(event) for event in events))
        return await call_next(events, context)


def _shown(event: Any) -> str:
    parts = [part for result in getattr(event, "results", []) for part in result.result.parts]
    return "\n".join(map(repr, [event, *parts]))


class ScriptedConfig(TestConfig):
    """The test model raises the errors of tools. A real model reads them."""

    def create(self) -> Any:
        client = super().create()

        class Reading(LLMClient):
            async def __call__(self, messages: Any, context: Any, **options: Any) -> Any:
                kept = [message for message in messages if not isinstance(message, ToolErrorEvent)]
                return await client(kept, context, **options)

        return Reading()


def scripted(turns: Any) -> TestConfig:
    usage = Usage(prompt_tokens=100, completion_tokens=7)
    events: list[Any] = []
    for calls in turns:
        made = [ToolCallEvent(name, arguments=json.dumps(args)) for name, args in calls]
        events.append(ModelResponse(tool_calls=ToolCallsEvent(made), usage=usage))
    return ScriptedConfig(*events, ModelResponse(ModelMessage("done"), usage=usage))


REPLIES: dict[tuple[int, str], Any] = {}


async def play_async(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    requests: list[str] = []
    agent = Agent(
        "worker",
        config=scripted(turns),
        tools=[getattr(world, name) for name in TOOLS],
        middleware=[guard, Middleware(Watched, requests=requests)],
    )
    known = REPLIES.get((id(guard), session))
    try:
        # The same stream is the same conversation.
        reply = await (agent.ask("go", stream=known.context.stream) if known else agent.ask("go"))
    except loopbreak.LoopStopped as stopped:
        assert guard.stopped is stopped or guard.stopped is not None
        return Played(requests, stopped)
    REPLIES[id(guard), session] = reply
    return Played(requests, guard.runs.run(reply.context.stream.id).stopped, reply.body or "")


def play(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    return asyncio.run(play_async(turns, guard, world, session))


def test_a_loop_is_advised_refused_and_stopped() -> None:
    check_loop(play, Loopbreak())


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_agent_is_left_alone(name: str) -> None:
    check_healthy(play, Loopbreak, name)


def test_an_error_in_the_guard_does_not_reach_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    check_fails_open(play, Loopbreak(), monkeypatch)


def test_an_error_in_the_adapter_does_not_reach_the_agent() -> None:
    errors: list[BaseException] = []
    guard = Loopbreak(on_error=errors.append)
    guard._turns = None  # type: ignore[assignment]
    world = World()
    played = play([[LOOP]] * 3, guard, world, "broken")
    assert len(world.calls) == 3 and played.answer == "done"
    assert errors


def test_parallel_calls_are_one_attempt() -> None:
    check_parallel(play, Loopbreak())


def test_conversations_do_not_mix() -> None:
    check_separate(play, Loopbreak())


def test_a_message_of_the_user_ends_the_streak() -> None:
    check_user_frees(play, Loopbreak())


def test_an_unknown_tool_is_a_loop_too() -> None:
    check_unknown_tool(play, Loopbreak())


def test_invalid_arguments_are_a_loop_too() -> None:
    played = play([[("read_file", {"wrong": 1})]] * 30, Loopbreak(), World(), "invalid")
    assert any("[loopbreak]" in text for text in played.requests[:5])
    assert played.stopped is not None


def test_a_failing_tool_is_recorded_once_and_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    played = play([[("break_down", {"part": "x"})]] * 5, Loopbreak(), World(), "failing")
    assert [args[3] for method, _, args, _ in seen if method == "after"] == [True] * 5
    assert any("[loopbreak]" in text for text in played.requests[:5])


def test_usage_texts_and_the_user_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    play([[LOOP, ("list_items", {"page": 1})], [LOOP]], Loopbreak(), World(), "usage")
    message = {"input_tokens": 100, "output_tokens": 7}
    assert sorted(map(str, usage_of(seen))) == sorted(map(str, [message, None, message]))
    assert [args for method, _, args, _ in seen if method == "user"] == [("go",)]
    assert ("done",) in [args for method, _, args, _ in seen if method == "text"]
    batches = [named["batch"] for method, _, _, named in seen if method == "after"]
    assert batches[0] == batches[1] != batches[2]


def test_a_cancelled_task_leaves_the_guard_usable() -> None:
    guard = Loopbreak()

    async def cancel() -> None:
        world = World()

        async def read_file(path: str) -> str:
            """Hangs."""
            await asyncio.sleep(60)
            return path

        world.read_file = read_file  # type: ignore[method-assign, assignment]
        task = asyncio.create_task(play_async([[LOOP]], guard, world, "hangs"))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    check_loop(play, guard)


def test_a_compaction_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    world = World()

    async def read_file(path: str, context: Context) -> str:
        """Stands for an agent whose history is compacted meanwhile."""
        done = CompactionCompleted(agent="worker", strategy="summary", events_before=9, events_after=2)
        await context.send(done)
        return path

    world.read_file = read_file  # type: ignore[method-assign, assignment]
    assert play([[LOOP]], Loopbreak(), world, "compacted").answer == "done"
    assert sum(method == "compacted" for method, *_ in seen) == 1


def test_the_example_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    check_page("ag2", capsys)
