from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("strands")

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
    turn_at,
    usage_of,
    watch_runs,
)
from loopbreak.strands import Loopbreak
from strands.agent.conversation_manager import SummarizingConversationManager
from strands.hooks import BeforeToolCallEvent, HookProvider
from strands.models import Model

from strands import Agent, tool


class ScriptedModel(Model):
    def __init__(self, turns: Any) -> None:
        self.turns, self.requests, self.position = turns, [], 0

    def update_config(self, **model_config: Any) -> None:
        pass

    def get_config(self) -> Any:
        return {"model_id": "scripted"}

    async def structured_output(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError
        yield {}

    async def stream(self, messages: Any, *args: Any, **kwargs: Any) -> Any:
        self.requests.append(json.dumps(messages, default=str))
        calls = turn_at(self.turns, self.position)
        self.position += 1
        yield {"messageStart": {"role": "assistant"}}
        for number, (name, args) in enumerate(calls):
            call = f"call-{self.position}-{number}"
            yield {"contentBlockStart": {"start": {"toolUse": {"toolUseId": call, "name": name}}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(args)}}}}
            yield {"contentBlockStop": {}}
        if not calls:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if calls else "end_turn"}}
        usage = {"inputTokens": 100, "outputTokens": 7, "totalTokens": 107}
        yield {"metadata": {"usage": usage, "metrics": {"latencyMs": 1}}}


AGENTS: dict[tuple[int, str], Agent] = {}


def agent_for(turns: Any, guard: Loopbreak, world: World, session: str, **options: Any) -> Agent:
    """One agent object is one conversation."""
    model = ScriptedModel(turns)
    agent = AGENTS.get((id(guard), session))
    if agent is None:
        tools = [tool(getattr(world, name)) for name in TOOLS]
        agent = Agent(model=model, tools=tools, hooks=[guard], callback_handler=None, **options)
        AGENTS[id(guard), session] = agent
    agent.model = model
    return agent


def played_by(agent: Agent, guard: Loopbreak, result: Any) -> Played:
    stopped = guard.runs.run(guard.run_id(agent)).stopped
    if stopped is not None:
        assert guard.stopped is not None
        assert result.state["loop_stopped"]["pattern"] == stopped.pattern
    return Played(agent.model.requests, stopped, str(result))  # type: ignore[attr-defined]


def play(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    agent = agent_for(turns, guard, world, session)
    return played_by(agent, guard, agent("go"))


def play_async(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    agent = agent_for(turns, guard, world, session)
    return played_by(agent, guard, asyncio.run(agent.invoke_async("go")))


@pytest.mark.parametrize("how", [play, play_async])
def test_a_loop_is_advised_refused_and_stopped(how: Any) -> None:
    check_loop(how, Loopbreak())


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
    assert len(world.calls) == 3 and "done" in played.answer
    assert errors


def test_parallel_calls_are_one_attempt() -> None:
    check_parallel(play, Loopbreak())


def test_agents_do_not_mix() -> None:
    check_separate(play, Loopbreak())


def test_a_message_of_the_user_ends_the_streak() -> None:
    check_user_frees(play, Loopbreak())


def test_an_unknown_tool_is_a_loop_too() -> None:
    check_unknown_tool(play, Loopbreak())


def test_a_call_with_an_invalid_name_is_a_loop_too() -> None:
    played = play([[("no such tool!", {"path": "a"})]] * 30, Loopbreak(), World(), "invalid")
    assert any("[loopbreak]" in text for text in played.requests[:6])


def test_a_failing_tool_is_a_loop_too() -> None:
    played = play([[("break_down", {"part": "x"})]] * 30, Loopbreak(), World(), "failing")
    assert played.stopped is not None


def test_usage_texts_and_the_user_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    play([[LOOP, ("list_items", {"page": 1})], [LOOP]], Loopbreak(), World(), "usage")
    message = {"input_tokens": 100, "output_tokens": 7}
    assert usage_of(seen) == [message, None, message]
    assert [args for method, _, args, _ in seen if method == "user"] == [("go",)]
    assert ("done",) in [args for method, _, args, _ in seen if method == "text"]
    batches = [named["batch"] for method, _, _, named in seen if method == "after"]
    assert batches[0] == batches[1] != batches[2]


def test_each_call_is_recorded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    world = World()
    play([[LOOP]] * 30, Loopbreak(), world, "once")
    assert sum(method == "after" for method, *_ in seen) == len(world.calls)


def test_a_call_that_another_hook_cancels_is_denied(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)

    class Deny(HookProvider):
        def register_hooks(self, registry: Any, **kwargs: Any) -> None:
            registry.add_callback(BeforeToolCallEvent, lambda event: setattr(event, "cancel_tool", "not today"))

    world = World()
    agent = Agent(
        model=ScriptedModel([[LOOP]]), tools=[tool(world.read_file)], hooks=[Loopbreak(), Deny()], callback_handler=None
    )
    agent("go")
    assert world.calls == []
    outcomes = [(args[2], named["denied"]) for method, _, args, named in seen if method == "after"]
    assert outcomes == [("not today", "policy")]


def test_a_summary_is_a_compaction(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    manager = SummarizingConversationManager()
    agent = agent_for([[LOOP]] * 2, Loopbreak(), World(), "summary", conversation_manager=manager)
    agent("go")
    assert not any(method == "compacted" for method, *_ in seen)
    manager.removed_message_count = 4
    agent("go on")
    assert sum(method == "compacted" for method, *_ in seen) == 1


def test_a_cancelled_task_leaves_the_guard_usable() -> None:
    guard, world = Loopbreak(), World()

    async def cancel() -> None:
        @tool
        async def read_file(path: str) -> str:
            """Hangs."""
            await asyncio.sleep(60)
            return path

        agent = Agent(model=ScriptedModel([[LOOP]]), tools=[read_file], hooks=[guard], callback_handler=None)
        task = asyncio.create_task(agent.invoke_async("go"))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    check_loop(play, guard)
    assert world.calls == []


def test_the_example_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    check_page("strands", capsys)
