from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("google.adk")

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
from google.adk.agents import LlmAgent, LoopAgent, ParallelAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from loopbreak.google_adk import Loopbreak


class ScriptedModel(BaseLlm):
    model: str = "scripted"
    turns: list[Any] = []
    requests: list[str] = []
    position: int = 0

    async def generate_content_async(self, llm_request: Any, stream: bool = False) -> Any:
        self.requests.append("\n".join(content.model_dump_json() for content in llm_request.contents))
        calls = turn_at(self.turns, self.position)
        self.position += 1
        parts = [
            types.Part(function_call=types.FunctionCall(name=name, args=args)) for name, args in calls
        ] or [types.Part(text="done")]
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=100, candidates_token_count=7)
        yield LlmResponse(content=types.Content(role="model", parts=parts), usage_metadata=usage)


RUNNERS: dict[tuple[int, str], InMemoryRunner] = {}


async def play_async(turns: Any, plugin: Loopbreak, world: World, session: str) -> Played:
    model = ScriptedModel(turns=turns, requests=[])
    agent = LlmAgent(name="worker", model=model, tools=[getattr(world, name) for name in TOOLS])
    key = (id(plugin), session)
    if key not in RUNNERS:
        RUNNERS[key] = InMemoryRunner(agent=agent, app_name="app", plugins=[plugin])
        await RUNNERS[key].session_service.create_session(app_name="app", user_id="u", session_id=session)
    runner = RUNNERS[key]
    runner.agent = agent
    answer, metadata = "", None
    async for event in runner.run_async(
        user_id="u", session_id=session, new_message=types.Content(role="user", parts=[types.Part(text="go")])
    ):
        if event.content and event.content.parts and event.content.parts[0].text:
            answer, metadata = event.content.parts[0].text, event.custom_metadata
    stopped = plugin.runs.run(f"app/u/{session}").stopped
    if stopped is not None:
        assert plugin.stopped is not None
        assert metadata is not None and metadata["loop_stopped"]["pattern"] == stopped.pattern
        assert answer.startswith("Stopped by Loopbreak: ")
    return Played(model.requests, stopped, answer)


def play(turns: Any, plugin: Loopbreak, world: World, session: str) -> Played:
    return asyncio.run(play_async(turns, plugin, world, session))


def test_a_loop_is_advised_refused_and_stopped() -> None:
    check_loop(play, Loopbreak())


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_agent_is_left_alone(name: str) -> None:
    check_healthy(play, Loopbreak, name)


def test_an_error_in_the_guard_does_not_reach_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    check_fails_open(play, Loopbreak(), monkeypatch)


def test_an_error_in_the_adapter_does_not_reach_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    errors: list[BaseException] = []
    plugin = Loopbreak(on_error=errors.append)
    plugin._turns = None  # type: ignore[assignment]
    world = World()
    played = play([[LOOP]] * 3, plugin, world, "broken")
    assert len(world.calls) == 3 and played.answer == "done"
    assert errors


def test_parallel_calls_are_one_attempt() -> None:
    check_parallel(play, Loopbreak())


def test_sessions_do_not_mix() -> None:
    check_separate(play, Loopbreak())


def test_a_message_of_the_user_ends_the_streak() -> None:
    check_user_frees(play, Loopbreak())


def test_an_unknown_tool_is_a_loop_too() -> None:
    try:
        check_unknown_tool(play, Loopbreak())
    except ValueError as error:
        # Version 1 ends the turn with this error: there is no loop.
        assert "no_such_tool" in str(error)


def test_usage_texts_and_the_user_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    play([[LOOP, ("list_items", {"page": 1})], [LOOP]], Loopbreak(), World(), "usage")
    message = {"input_tokens": 100, "output_tokens": 7}
    assert usage_of(seen) == [message, None, message]
    assert [args for method, _, args, _ in seen if method == "user"] == [("go",)]
    assert [args for method, _, args, _ in seen if method == "text" and args[0]] == [("done",)]
    batches = [named["batch"] for method, _, _, named in seen if method == "after"]
    assert batches[0] == batches[1] != batches[2]
    assert all(named["agent"] is None for method, _, _, named in seen if method == "after")


def test_a_failing_tool_is_recorded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    with pytest.raises(ValueError, match="no such part"):
        play([[("break_down", {"part": "x"})]], Loopbreak(), World(), "failing")
    outcomes = [args for method, _, args, _ in seen if method == "after"]
    assert len(outcomes) == 1 and outcomes[0][3] is True


def test_an_answer_with_an_error_in_it_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    world = World()
    world.read_file = lambda path: {"status": "error", "reason": "gone"}  # type: ignore[assignment,method-assign]
    world.read_file.__name__ = "read_file"  # type: ignore[attr-defined]
    play([[LOOP]], Loopbreak(), world, "error")
    assert [args[3] for method, _, args, _ in seen if method == "after"] == [True]


def test_a_cancelled_task_leaves_the_guard_usable() -> None:
    plugin = Loopbreak()

    async def cancel() -> None:
        world = World()

        async def read_file(path: str) -> str:
            """Hangs."""
            await asyncio.sleep(60)
            return path

        world.read_file = read_file  # type: ignore[method-assign]
        task = asyncio.create_task(play_async([[LOOP]], plugin, world, "hangs"))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    check_loop(play, plugin)


def test_a_loop_agent_ends_with_its_agents() -> None:
    plugin, world = Loopbreak(), World()
    model = ScriptedModel(turns=[[LOOP]] * 200, requests=[])
    worker = LlmAgent(name="worker", model=model, tools=[world.read_file])
    runner = InMemoryRunner(agent=LoopAgent(name="again", sub_agents=[worker]), app_name="app", plugins=[plugin])

    async def run() -> None:
        await runner.session_service.create_session(app_name="app", user_id="u", session_id="s")
        message = types.Content(role="user", parts=[types.Part(text="go")])
        async for _ in runner.run_async(user_id="u", session_id="s", new_message=message):
            pass

    asyncio.run(asyncio.wait_for(run(), 30))
    assert plugin.stopped is not None
    assert len(model.requests) <= 16


def test_agents_that_work_side_by_side_are_judged_apart() -> None:
    plugin, world = Loopbreak(), World()
    agents = [
        LlmAgent(name=f"worker{n}", model=ScriptedModel(turns=[[LOOP]] * 2, requests=[]), tools=[world.read_file])
        for n in range(4)
    ]
    runner = InMemoryRunner(agent=ParallelAgent(name="all", sub_agents=list(agents)), app_name="app", plugins=[plugin])

    async def run() -> None:
        await runner.session_service.create_session(app_name="app", user_id="u", session_id="s")
        message = types.Content(role="user", parts=[types.Part(text="go")])
        async for _ in runner.run_async(user_id="u", session_id="s", new_message=message):
            pass

    asyncio.run(run())
    assert len(world.calls) == 8
    assert plugin.stopped is None
    assert not any("[loopbreak]" in text for agent in agents for text in agent.model.requests)  # type: ignore[union-attr]


def test_the_example_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    check_page("google_adk", capsys)
