from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

pytest.importorskip("autogen_agentchat")

from autogen_agentchat.agents import AssistantAgent
from autogen_agentchat.conditions import MaxMessageTermination, TextMentionTermination
from autogen_agentchat.messages import StopMessage
from autogen_agentchat.teams import RoundRobinGroupChat
from autogen_core import FunctionCall
from autogen_core.models import CreateResult, RequestUsage
from autogen_ext.models.replay import ReplayChatCompletionClient
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
    check_unknown_tool,
    check_user_frees,
    usage_of,
    watch_runs,
)
from loopbreak.autogen import Loopbreak

MODEL = {"vision": False, "function_calling": True, "json_output": False, "family": "unknown", "structured_output": False}


class Watched(ReplayChatCompletionClient):
    """The scripted model of AutoGen. It also notes what it was shown."""

    def __init__(self, turns: Any) -> None:
        usage = RequestUsage(prompt_tokens=100, completion_tokens=7)
        results: list[Any] = []
        for number, calls in enumerate(turns):
            made = [
                FunctionCall(id=f"c{number}-{n}", name=name, arguments=args if isinstance(args, str) else json.dumps(args))
                for n, (name, args) in enumerate(calls)
            ]
            results.append(CreateResult(finish_reason="function_calls", content=made, usage=usage, cached=False))
        done = CreateResult(finish_reason="stop", content="all is done", usage=usage, cached=False)
        super().__init__([*results, done, done], model_info=MODEL)  # type: ignore[arg-type]
        self.requests: list[str] = []

    async def create(self, messages: Any, **options: Any) -> Any:
        self.requests.append("\n".join(message.model_dump_json() for message in messages))
        result = await super().create(messages, **options)
        # The replaying client counts words instead.
        result.usage = RequestUsage(prompt_tokens=100, completion_tokens=7)
        return result


AGENTS: dict[tuple[int, str, str], Any] = {}


def agent_for(kind: str, turns: Any, guard: Loopbreak, world: World, session: str, iterations: int) -> Any:
    key = (id(guard), session, kind)
    if key not in AGENTS:
        tools = [getattr(world, name) for name in TOOLS]
        agent = AssistantAgent("worker", Watched(turns), tools=tools, max_tool_iterations=iterations)
        AGENTS[key] = guard.protect(agent)
    AGENTS[key]._model_client = Watched(turns)
    return AGENTS[key]


async def play_alone_async(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    agent = agent_for("alone", turns, guard, world, session, 100)
    result = await agent.run(task="go")
    last = result.messages[-1]
    if guard.stopped is not None:
        assert isinstance(last, StopMessage)
        assert last.content.startswith("Stopped by Loopbreak: ")
    return Played(agent._model_client.requests, guard.stopped, last.content)


def play_alone(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    return asyncio.run(play_alone_async(turns, guard, world, session))


def play_team(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    """Each message of the model is a turn of the team."""

    async def run() -> Played:
        agent = agent_for("team", turns, guard, world, session, 1)
        ends = guard.condition | TextMentionTermination("all is done", sources=["worker"]) | MaxMessageTermination(400)
        result = await RoundRobinGroupChat([agent], termination_condition=ends).run(task="go")
        if guard.stopped is not None:
            assert result.stop_reason is not None and result.stop_reason.startswith("Stopped by Loopbreak: ")
        return Played(agent._model_client.requests, guard.stopped, str(result.messages[-1].content))  # type: ignore[union-attr]

    return asyncio.run(run())


PLAYS = [play_alone, play_team]


@pytest.mark.parametrize("play", PLAYS)
def test_a_loop_is_advised_refused_and_stopped(play: Any) -> None:
    check_loop(play, Loopbreak())


@pytest.mark.parametrize("play", PLAYS)
@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_agent_is_left_alone(play: Any, name: str) -> None:
    check_healthy(play, Loopbreak, name)


@pytest.mark.parametrize("play", PLAYS)
def test_an_error_in_the_guard_does_not_reach_the_agent(play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    check_fails_open(play, Loopbreak(), monkeypatch)


def test_an_error_in_the_adapter_does_not_reach_the_agent() -> None:
    errors: list[BaseException] = []
    guard = Loopbreak(on_error=errors.append)
    guard._seen = guard._recorded = guard._asked = None  # type: ignore[assignment]
    world = World()
    played = play_alone([[LOOP]] * 3, guard, world, "broken")
    assert len(world.calls) == 3 and "done" in played.answer
    assert errors


def test_parallel_calls_are_one_attempt() -> None:
    world, guard = World(), Loopbreak()
    play_alone([[LOOP] * 3] * 2, guard, world, "twice")
    assert len(world.calls) == 6
    assert guard.stopped is None

    def fresh(turns: Any, _: Any, world: World, session: str) -> Played:
        return play_alone(turns, Loopbreak(), world, session)

    check_parallel(fresh, None)


def test_parallel_calls_of_tools_that_never_wait_are_one_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    world = World()

    async def read_file(path: str) -> str:
        """Answers at once."""
        return path

    world.read_file = read_file  # type: ignore[method-assign, assignment]
    play_alone([[LOOP] * 3, [LOOP]], Loopbreak(), world, "at once")
    batches = [named["batch"] for method, _, _, named in seen if method == "after"]
    assert len(batches) == 4 and len(set(batches[:3])) == 1 and batches[3] != batches[0]


def test_conversations_do_not_mix() -> None:
    loud, quiet, world = Loopbreak(), Loopbreak(), World()
    play_alone([[LOOP]] * 30, loud, World(), "loud")
    played = play_alone([[LOOP]] * 2, quiet, world, "quiet")
    assert loud.stopped is not None and quiet.stopped is None
    assert "done" in played.answer and len(world.calls) == 2


@pytest.mark.parametrize("play", PLAYS)
def test_a_message_of_the_user_ends_the_streak(play: Any) -> None:
    check_user_frees(play, Loopbreak())


@pytest.mark.parametrize("play", PLAYS)
def test_an_unknown_tool_is_a_loop_too(play: Any) -> None:
    check_unknown_tool(play, Loopbreak())


def test_arguments_that_are_no_json_are_a_loop_too() -> None:
    played = play_alone([[("read_file", "{path: ")]] * 30, Loopbreak(), World(), "invalid")
    assert any("[loopbreak]" in text for text in played.requests[:6])
    assert played.stopped is not None


def test_a_failing_tool_is_recorded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    play_alone([[("break_down", {"part": "x"})]] * 5, Loopbreak(), World(), "failing")
    assert [args[3] for method, _, args, _ in seen if method == "after"] == [True] * 5


@pytest.mark.parametrize("play", PLAYS)
def test_usage_texts_and_the_user_are_passed_on_once(play: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    play([[LOOP], [LOOP], [LOOP]], Loopbreak(), World(), "usage")
    tokens = sum(usage["input_tokens"] for usage in usage_of(seen) if usage)
    # A team shows the usage of a turn after its end, so that the last one is still to come.
    assert tokens in (300, 200)
    assert [args for method, _, args, _ in seen if method == "user"] == [("go",)]
    assert [args for method, _, args, _ in seen if method == "text" and args == ("all is done",)] == [("all is done",)]


def test_a_cancelled_task_leaves_the_guard_usable() -> None:
    guard = Loopbreak()

    async def cancel() -> None:
        world = World()

        async def read_file(path: str) -> str:
            """Hangs."""
            await asyncio.sleep(60)
            return path

        world.read_file = read_file  # type: ignore[method-assign, assignment]
        task = asyncio.create_task(play_alone_async([[LOOP]], guard, world, "hangs"))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert guard._running == 0
    check_loop(play_alone, guard)


def test_a_team_runs_again_after_a_stop() -> None:
    guard, world = Loopbreak(), World()
    assert play_team([[LOOP]] * 30, guard, world, "again").stopped is not None
    played = play_team([[("list_items", {"page": 1})]], guard, world, "again")
    assert played.stopped is None
    assert "done" in played.answer


def test_the_example_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    check_page("autogen", capsys)
