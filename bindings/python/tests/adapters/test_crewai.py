from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
from collections.abc import Iterator
from typing import Any

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", OTEL_SDK_DISABLED="true", CREWAI_TRACING_ENABLED="false")

import pytest
from cases import HEALTHY, LOOP, TOOLS, Played, World, check_healthy, first_advice, turn_at
from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool
from guide_page import run_page
from play_runs import Panic, break_guard, of, record_runs

import loopbreak
import loopbreak.crewai
from loopbreak.crewai import CrewGuard, install, uninstall

# Before 1.15, a hook can only say no, which becomes this error of CrewAI.
STOPS: Any = loopbreak.LoopStopped if loopbreak.crewai._CrewStopped else ValueError
NUMBERS = itertools.count()


class ScriptedModel(BaseLLM):
    """Makes the calls of its script, as native calls or in text, and then says "done"."""

    def __init__(self, turns: Any, native: bool = True) -> None:
        super().__init__(model="scripted")
        self._turns, self._native, self._requests, self._position = turns, native, [], 0

    def call(self, messages: Any, *args: Any, **options: Any) -> Any:
        self._requests.append(json.dumps(messages, default=str))
        calls = turn_at(self._turns, self._position)
        self._position += 1
        if not calls:
            return "Thought: I now know the final answer\nFinal Answer: done"
        if self._native:
            return [
                {"id": f"c{next(NUMBERS)}", "function": {"name": name, "arguments": json.dumps(args)}}
                for name, args in calls
            ]
        name, args_ = calls[0]
        return f"Thought: hm\nAction: {name}\nAction Input: {json.dumps(args_)}\n"

    def supports_function_calling(self) -> bool:
        return self._native


class TickingWorld(World):
    """Its files say when they were read, so that CrewAI's own rule, five equal results, does not come first."""

    def read_file(self, path: str) -> str:
        """Reads a file."""
        return super().read_file(path) + f" at 12:{next(NUMBERS) % 60:02}:{next(NUMBERS) % 60:02}"

    def break_down(self, part: str) -> str:
        """Fails."""
        self._called("break_down", part=part)
        raise ValueError(f"no such part: {part} at 12:04:{len(self.calls):02}")


def new_crew(model: ScriptedModel, world: World) -> Crew:
    tools = [tool(name)(getattr(world, name)) for name in TOOLS]
    agent = Agent(role="worker", goal="g", backstory="b", llm=model, tools=tools, max_iter=60, cache=False)
    task = Task(description="go", expected_output="an answer", agent=agent)
    return Crew(agents=[agent], tasks=[task], cache=False)


def finish(model: ScriptedModel, run: Any) -> Played:
    try:
        return Played(model._requests, None, str(run()))
    except STOPS as stopped:
        return Played(model._requests, stopped)


def play(turns: Any, guard: CrewGuard, world: World, session: str) -> Played:
    model = ScriptedModel(turns)
    return finish(model, new_crew(model, world).kickoff)


def play_async(turns: Any, guard: CrewGuard, world: World, session: str) -> Played:
    model = ScriptedModel(turns)
    return finish(model, lambda: asyncio.run(new_crew(model, world).kickoff_async()))


def play_text(turns: Any, guard: CrewGuard, world: World, session: str) -> Played:
    model = ScriptedModel(turns, native=False)
    return finish(model, new_crew(model, world).kickoff)


@pytest.fixture(autouse=True)
def guard() -> Iterator[CrewGuard]:
    yield install()
    uninstall()


@pytest.mark.parametrize("how", [play, play_async])
def test_a_loop_is_advised_refused_and_stopped(how: Any, guard: CrewGuard) -> None:
    world = TickingWorld()
    played = how([[LOOP]] * 50, guard, world, "loop")
    assert (first_advice(played) or 99) <= 4
    assert len(world.calls) <= 7
    assert isinstance(played.stopped, STOPS)
    assert any("refused" in text for text in played.requests[7:10])
    assert len(played.requests) <= 16


def test_a_loop_in_text_is_advised_and_ended(guard: CrewGuard) -> None:
    # CrewAI answers an equal call by itself there, and ends the run at the fifth.
    world = World()
    model = ScriptedModel([[LOOP]] * 50, native=False)
    with pytest.raises(Exception, match=r"5 times|stopped|LLM call blocked"):
        new_crew(model, world).kickoff()
    assert (first_advice(Played(model._requests)) or 99) <= 5
    assert len(world.calls) <= 7


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_agent_is_left_alone(name: str) -> None:
    if name == "one message that makes equal calls":
        # CrewAI ends a run by itself at five equal calls.
        played = play([[LOOP] * 4], install(), World(), name)
        assert first_advice(played) is None and "done" in played.answer
    else:
        check_healthy(play, install, name)


@pytest.mark.parametrize("name", ["varied calls", "the same test after edits", "pages of a list"])
def test_a_healthy_agent_that_calls_in_text_is_left_alone(name: str) -> None:
    check_healthy(play_text, install, name)


@pytest.mark.parametrize("error", [RuntimeError, Panic])
def test_an_error_in_the_guard_does_not_reach_the_agent(error: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    errors: list[BaseException] = []
    guard, world = install(on_error=errors.append), TickingWorld()
    break_guard(monkeypatch, error)
    assert "done" in play([[LOOP]] * 15, guard, world, "broken").answer
    assert len(world.calls) == 15 and isinstance(errors[0], error)


def test_parallel_calls_are_one_attempt(guard: CrewGuard) -> None:
    world = TickingWorld()
    played = play([[LOOP] * 3] * 2, guard, world, "twice")
    assert len(world.calls) == 6 and first_advice(played) is None and "done" in played.answer
    world = TickingWorld()
    model = ScriptedModel([[LOOP] * 3] * 30)
    # Equal refusals of one message are five equal results soon: CrewAI ends the run before the guard has to.
    with pytest.raises(Exception, match=r"5 times|was stopped|LLM call blocked"):
        new_crew(model, world).kickoff()
    assert 2 <= (first_advice(Played(model._requests)) or 99) <= 4
    assert 9 <= len(world.calls) <= 21


def test_crews_do_not_mix(guard: CrewGuard) -> None:
    assert play([[LOOP]] * 50, guard, TickingWorld(), "loud").stopped is not None
    world = TickingWorld()
    quiet = play([[LOOP]] * 2, guard, world, "quiet")
    assert len(world.calls) == 2 and first_advice(quiet) is None and "done" in quiet.answer


def test_a_new_kickoff_ends_the_streak_and_the_stop(guard: CrewGuard) -> None:
    world, model = TickingWorld(), ScriptedModel([[LOOP]] * 6)
    crew = new_crew(model, world)
    crew.kickoff()
    model._position = 0
    crew.kickoff()
    assert len(world.calls) == 12
    model._turns, model._position = [[LOOP]] * 50, 0
    with pytest.raises(STOPS):
        crew.kickoff()
    stopped = guard.stopped(crew)
    assert stopped is not None and stopped.run == str(crew.id)
    model._turns, model._position = [], 0
    assert "done" in str(crew.kickoff()) and guard.stopped(crew) is None


def test_an_unknown_tool_is_a_loop_too(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = record_runs(monkeypatch)
    for native in (True, False):
        notes.clear()
        model = ScriptedModel([[("no_such_tool", {"path": "a"})]] * 4, native)
        new_crew(model, World()).kickoff()
        assert [one["args"][:2] for one in of(notes, "after")][0][0] == "no_such_tool"
        assert len(of(notes, "after")) == 4
        assert {one["args"][3] for one in of(notes, "after")} == {True}
        assert (first_advice(Played(model._requests)) or 99) <= 4


def test_invalid_arguments_are_a_loop_too(guard: CrewGuard) -> None:
    turns = [[("read_file", {"pathh": "a"})]] * 4
    played = play(turns, guard, World(), "invalid")
    assert (first_advice(played) or 99) <= 4


def test_a_failing_tool_is_a_loop_too(guard: CrewGuard) -> None:
    played = play([[("break_down", {"part": "x"})]] * 50, guard, TickingWorld(), "failing")
    assert (first_advice(played) or 99) <= 4 and played.stopped is not None


def test_the_task_usage_and_batches_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = record_runs(monkeypatch)
    play([[LOOP, ("list_items", {"page": 1})], [LOOP]], install(), World(), "usage")
    assert len(of(notes, "user")) == 1 and "go" in of(notes, "user")[0]["args"][0]
    batches = [one["batch"] for one in of(notes, "after")]
    assert batches[0] == batches[1] != batches[2]
    assert any("done" in one["args"][0] for one in of(notes, "text"))


def test_a_call_that_another_hook_blocks_is_denied(monkeypatch: pytest.MonkeyPatch) -> None:
    from crewai.hooks import register_before_tool_call_hook, unregister_before_tool_call_hook

    notes = record_runs(monkeypatch)

    def block(context: Any) -> bool:
        return False

    register_before_tool_call_hook(block)
    try:
        world = World()
        play([[LOOP]], install(), world, "blocked")
    finally:
        unregister_before_tool_call_hook(block)
    assert world.calls == []
    assert [one["denied"] for one in of(notes, "after")] == ["policy"]


def test_installed_twice_counts_once_and_uninstalled_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    notes, world = record_runs(monkeypatch), World()
    install()
    play([[LOOP]] * 2, install(), world, "twice")
    assert len(of(notes, "after")) == 2
    uninstall()
    notes.clear()
    play([[LOOP]] * 2, CrewGuard(loopbreak.crewai.AdapterRuns()), world, "gone")
    assert notes == []


def test_a_cancelled_task_leaves_the_guard_usable(guard: CrewGuard) -> None:
    async def cancel() -> None:
        model = ScriptedModel([[("list_items", {"page": page})] for page in range(5)])
        task = asyncio.create_task(new_crew(model, World()).kickoff_async())
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    test_a_loop_is_advised_refused_and_stopped(play, guard)


def test_the_example_of_the_guide_runs() -> None:
    assert re.search(r"LoopStopped|stopped", run_page("crewai"))
