from __future__ import annotations

import asyncio
from typing import Any

import pytest
from cases import (
    HEALTHY,
    LOOP,
    TOOLS,
    Played,
    World,
    check_fails_open,
    check_healthy,
    check_loop,
    check_parallel,
    check_separate,
    check_unknown_tool,
    check_user_frees,
    first_advice,
    turn_at,
)
from guide_page import run_page
from play_runs import Panic, break_guard, of, record_runs, usages
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, ToolReturn
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel
from pydantic_ai.usage import RequestUsage, UsageLimits

import loopbreak
from loopbreak.pydantic_ai import Loopbreak

LIMITS = UsageLimits(request_limit=60)


class Script:
    """Makes its calls, and then says "done"."""

    def __init__(self, turns: Any, same_ids: bool = False) -> None:
        self.turns, self.requests, self.position, self.same_ids = turns, [], 0, same_ids

    def _next(self, messages: Any) -> list[tuple[str, Any, str]]:
        self.requests.append(str(messages))
        self.position += 1
        first = "call" if self.same_ids else f"call-{id(self)}-{self.position}"
        calls = turn_at(self.turns, self.position - 1)
        return [(name, args, f"{first}-{number}") for number, (name, args) in enumerate(calls)]

    def answer(self, messages: Any, info: AgentInfo) -> ModelResponse:
        parts: list[Any] = [ToolCallPart(name, args, tool_call_id=one) for name, args, one in self._next(messages)]
        usage = RequestUsage(input_tokens=100, output_tokens=7)
        return ModelResponse(parts=parts or [TextPart("done")], usage=usage)

    async def stream(self, messages: Any, info: AgentInfo) -> Any:
        import json

        calls = self._next(messages)
        for number, (name, args, one) in enumerate(calls):
            yield {number: DeltaToolCall(name=name, json_args=json.dumps(args), tool_call_id=one)}
        if not calls:
            yield "done"

    @property
    def model(self) -> FunctionModel:
        return FunctionModel(self.answer, stream_function=self.stream)


def new_agent(script: Script, guard: Loopbreak, world: World, **options: Any) -> Agent[Any, Any]:
    agent = Agent(script.model, capabilities=[guard], retries=50, name="worker", **options)
    for name in TOOLS:
        if name != "break_down":
            agent.tool_plain(getattr(world, name))

    @agent.tool_plain
    def break_down(part: str) -> str:
        try:
            return world.break_down(part)
        except ValueError as error:
            raise ModelRetry(str(error)) from error

    return agent


def play(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    script = Script(turns)
    agent = new_agent(script, guard, world)
    try:
        result = asyncio.run(agent.run("go", conversation_id=session, usage_limits=LIMITS))
    except loopbreak.LoopStopped as stopped:
        return Played(script.requests, stopped)
    return Played(script.requests, None, result.output)


def play_sync(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    script = Script(turns)
    asyncio.set_event_loop(asyncio.new_event_loop())
    try:
        result = new_agent(script, guard, world).run_sync("go", usage_limits=LIMITS)
    except loopbreak.LoopStopped as stopped:
        return Played(script.requests, stopped)
    return Played(script.requests, None, result.output)


def play_stream(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    script = Script(turns)

    async def run() -> str:
        async with new_agent(script, guard, world).iter("go", usage_limits=LIMITS) as steps:
            async for node in steps:
                if Agent.is_model_request_node(node):
                    async with node.stream(steps.ctx) as events:
                        async for _ in events:
                            pass
        assert steps.result is not None
        return str(steps.result.output)

    try:
        return Played(script.requests, None, asyncio.run(run()))
    except loopbreak.LoopStopped as stopped:
        return Played(script.requests, stopped)


PLAYS = [play, play_sync, play_stream]


@pytest.mark.parametrize("how", PLAYS)
def test_a_loop_is_advised_refused_and_stopped(how: Any) -> None:
    check_loop(how, Loopbreak())


@pytest.mark.parametrize("name", HEALTHY)
@pytest.mark.parametrize("how", PLAYS)
def test_a_healthy_agent_is_left_alone(how: Any, name: str) -> None:
    check_healthy(how, Loopbreak, name)


@pytest.mark.parametrize("how", PLAYS)
def test_an_error_in_the_guard_does_not_reach_the_agent(how: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    check_fails_open(how, Loopbreak(), monkeypatch)


def test_a_panic_in_the_guard_does_not_reach_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    errors: list[BaseException] = []
    guard, world = Loopbreak(on_error=errors.append), World()
    break_guard(monkeypatch, Panic)
    assert play([[LOOP]] * 12, guard, world, "panic").answer == "done"
    assert len(world.calls) == 12 and isinstance(errors[0], Panic)


@pytest.mark.parametrize("broken", ["_find_run", "_labels"])
@pytest.mark.parametrize("how", PLAYS)
def test_an_error_in_the_adapter_does_not_reach_the_agent(how: Any, broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    errors: list[BaseException] = []
    guard, world = Loopbreak(on_error=errors.append), World()
    monkeypatch.setattr(Loopbreak, broken, None)
    assert how([[LOOP]] * 12, guard, world, "broken").answer == "done"
    assert len(world.calls) == 12 and isinstance(errors[0], TypeError)


@pytest.mark.parametrize("how", PLAYS)
def test_parallel_calls_are_one_attempt(how: Any) -> None:
    check_parallel(how, Loopbreak())


@pytest.mark.parametrize("how", PLAYS)
def test_conversations_do_not_mix(how: Any) -> None:
    check_separate(how, Loopbreak())


def test_conversations_at_the_same_time_do_not_mix() -> None:
    guard, world = Loopbreak(), World()

    async def both() -> list[Any]:
        async def one(session: str, turns: Any) -> Any:
            agent = new_agent(Script(turns, same_ids=True), guard, world)
            return await agent.run("go", conversation_id=session, usage_limits=LIMITS)

        short = [one(f"short-{number}", [[LOOP]] * 2) for number in range(5)]
        return await asyncio.gather(one("long", [[LOOP]] * 30), *short, return_exceptions=True)

    stopped, *others = asyncio.run(both())
    assert isinstance(stopped, loopbreak.LoopStopped) and stopped.run == "long"
    assert [result.output for result in others] == ["done"] * 5


def test_a_message_of_the_user_ends_the_streak() -> None:
    check_user_frees(play, Loopbreak())


def test_the_user_can_go_on_after_a_stop() -> None:
    guard = Loopbreak()
    assert play([[LOOP]] * 30, guard, World(), "again").stopped is not None
    assert guard.stopped("again") is not None
    assert play([], guard, World(), "again").answer == "done"
    assert guard.stopped("again") is None


@pytest.mark.parametrize("how", PLAYS)
def test_an_unknown_tool_is_a_loop_too(how: Any) -> None:
    check_unknown_tool(how, Loopbreak())


@pytest.mark.parametrize("how", PLAYS)
def test_invalid_arguments_are_a_loop_too(how: Any) -> None:
    played = how([[("read_file", {"pathh": "a"})]] * 30, Loopbreak(), World(), "invalid")
    assert (first_advice(played) or 99) <= 4 and played.stopped is not None


@pytest.mark.parametrize("how", PLAYS)
def test_a_failing_tool_is_a_loop_too(how: Any) -> None:
    played = how([[("break_down", {"part": "x"})]] * 30, Loopbreak(), World(), "failing")
    assert (first_advice(played) or 99) <= 4 and played.stopped is not None


def test_invalid_output_is_a_loop_too() -> None:
    class Answer(BaseModel):
        number: int

    script = Script([[("final_result", {"number": "many"})]] * 30)
    agent: Any = Agent(script.model, capabilities=[Loopbreak()], retries=50, output_type=Answer)
    with pytest.raises(loopbreak.LoopStopped):
        agent.run_sync("go", usage_limits=LIMITS)
    assert (first_advice(Played(script.requests)) or 99) <= 4


def test_an_exception_of_a_tool_passes_unchanged_and_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    notes, world = record_runs(monkeypatch), World()
    agent = Agent(Script([[("break_down", {"part": "x"})]]).model, capabilities=[Loopbreak()])
    agent.tool_plain(world.break_down)
    with pytest.raises(ValueError, match="no such part"):
        agent.run_sync("go")
    assert [one["args"][2:4] for one in of(notes, "after")] == [("ValueError: no such part: x", True)]


@pytest.mark.parametrize("value", [{"a": [1, 2]}, ToolReturn(return_value="a", metadata=1), None, 7])
def test_a_result_that_is_not_a_text_is_not_changed(value: Any) -> None:
    script = Script([[("look", {})]] * 30)
    agent = Agent(script.model, capabilities=[Loopbreak()])
    agent.tool_plain(lambda: value, name="look")
    with pytest.raises(loopbreak.LoopStopped):
        agent.run_sync("go", usage_limits=LIMITS)
    assert (first_advice(Played(script.requests)) or 99) <= 4


def test_usage_texts_and_the_user_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = record_runs(monkeypatch)
    play([[LOOP, ("list_items", {"page": 1})], [LOOP]], Loopbreak(), World(), "usage")
    spent = {"input_tokens": 100, "output_tokens": 7}
    assert usages(notes) == [spent, None, spent]
    assert [one["args"] for one in of(notes, "user")] == [("go",)]
    assert ("done",) in [one["args"] for one in of(notes, "text")]
    batches = [one["batch"] for one in of(notes, "after")]
    assert batches[0] == batches[1] != batches[2]


def test_two_guards_on_one_run_count_a_call_once(monkeypatch: pytest.MonkeyPatch) -> None:
    notes, world, first = record_runs(monkeypatch), World(), Loopbreak()
    script = Script([[LOOP]] * 2)
    agent = Agent(script.model, capabilities=[first, Loopbreak(runs=first.runs)])
    agent.tool_plain(world.read_file)
    agent.run_sync("go")
    assert len(world.calls) == len(of(notes, "after")) == 2


def test_ids_of_calls_that_repeat_do_not_hide_a_loop() -> None:
    agent = new_agent(Script([[LOOP]] * 30, same_ids=True), Loopbreak(), World())
    with pytest.raises(loopbreak.LoopStopped):
        agent.run_sync("go", usage_limits=LIMITS)


def test_a_cancelled_task_leaves_the_guard_usable() -> None:
    guard = Loopbreak()

    async def read_file(path: str) -> str:
        await asyncio.sleep(60)
        return path

    async def cancel() -> None:
        agent = Agent(Script([[LOOP]]).model, capabilities=[guard])
        agent.tool_plain(read_file)
        task = asyncio.create_task(agent.run("go", conversation_id="loop"))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    check_loop(play, guard)


def test_the_example_of_the_guide_runs() -> None:
    assert "LoopStopped" in run_page("pydantic_ai")
