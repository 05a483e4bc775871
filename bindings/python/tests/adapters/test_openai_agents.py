from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from agents import (
    Agent,
    FunctionTool,
    MaxTurnsExceeded,
    Model,
    ModelResponse,
    RunConfig,
    Runner,
    SQLiteSession,
    ToolOutputImage,
    Usage,
    function_tool,
    handoff,
    set_tracing_disabled,
)
from agents.mcp import MCPServer
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
from mcp.types import CallToolResult, TextContent
from mcp.types import Tool as MCPTool
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from openai.types.responses.response_function_web_search import ActionSearch, ResponseFunctionWebSearch
from play_runs import Panic, break_guard, of, record_runs, usages

import loopbreak
from loopbreak.openai_agents import Loopbreak

set_tracing_disabled(True)
TURNS = 60


def said(text: str) -> ResponseOutputMessage:
    content = ResponseOutputText(annotations=[], text=text, type="output_text")
    return ResponseOutputMessage(id="m", content=[content], role="assistant", status="completed", type="message")


class ScriptedModel(Model):
    """Makes the calls of its script, and then says "done"."""

    def __init__(self, turns: Any, same_ids: bool = False) -> None:
        self.turns, self.requests, self.position, self.same_ids = turns, [], 0, same_ids
        self.inputs: list[Any] = []

    def answer(self, input: Any) -> list[Any]:
        self.requests.append(json.dumps(input, default=str))
        self.inputs.append(input)
        calls = turn_at(self.turns, self.position)
        self.position += 1
        first = "call" if self.same_ids else f"call-{id(self)}-{self.position}"
        return [
            call
            if not isinstance(call, tuple)
            else ResponseFunctionToolCall(
                arguments=json.dumps(call[1]), call_id=f"{first}-{number}", name=call[0], type="function_call"
            )
            for number, call in enumerate(calls)
        ] or [said("done")]

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **options: Any) -> ModelResponse:
        usage = Usage(requests=1, input_tokens=100, output_tokens=7, total_tokens=107)
        return ModelResponse(output=self.answer(input), usage=usage, response_id=None)

    async def stream_response(self, system_instructions: Any, input: Any, *args: Any, **options: Any) -> Any:
        response = Response(
            id="r",
            created_at=0,
            model="m",
            object="response",
            output=self.answer(input),
            parallel_tool_calls=True,
            tool_choice="auto",
            tools=[],
        )
        yield ResponseCompletedEvent(response=response, sequence_number=0, type="response.completed")


def new_agent(model: ScriptedModel, world: World, **options: Any) -> Agent[Any]:
    return Agent("worker", model=model, tools=[function_tool(getattr(world, name)) for name in TOOLS], **options)


def finish(model: ScriptedModel, run: Any) -> Played:
    try:
        return Played(model.requests, None, asyncio.run(run))
    except loopbreak.LoopStopped as stopped:
        return Played(model.requests, stopped)


def play(turns: Any, guard: Loopbreak, world: World, session: str, **options: Any) -> Played:
    model = ScriptedModel(turns)
    agent = guard.protect(new_agent(model, world, **options))
    guard = guard.for_run(session)
    # An unknown tool ends the run by default. It can be a loop only where the model is told.
    config = guard.run_config
    if hasattr(config, "tool_not_found_behavior"):
        config.tool_not_found_behavior = "return_error_to_model"

    async def run() -> str:
        result = await Runner.run(agent, "go", hooks=guard.hooks, run_config=config, max_turns=TURNS)
        return str(result.final_output)

    return finish(model, run())


def play_stream(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    model = ScriptedModel(turns)
    agent = guard.protect(new_agent(model, world))

    async def run() -> str:
        result = Runner.run_streamed(agent, "go", hooks=guard.hooks, run_config=guard.run_config, max_turns=TURNS)
        async for _ in result.stream_events():
            pass
        return str(result.final_output)

    return finish(model, run())


def play_sync(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    model = ScriptedModel(turns)
    agent = guard.protect(new_agent(model, world))
    asyncio.set_event_loop(asyncio.new_event_loop())
    try:
        result = Runner.run_sync(agent, "go", hooks=guard.hooks, run_config=guard.run_config, max_turns=TURNS)
        return Played(model.requests, None, str(result.final_output))
    except loopbreak.LoopStopped as stopped:
        return Played(model.requests, stopped)


PLAYS = [play, play_stream, play_sync]


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


@pytest.mark.parametrize("how", PLAYS)
def test_an_error_in_the_adapter_does_not_reach_the_agent(how: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    errors: list[BaseException] = []
    guard, world = Loopbreak(on_error=errors.append), World()
    monkeypatch.setattr(guard._book, "turns", None)
    assert how([[LOOP]] * 12, guard, world, "broken").answer == "done"
    assert len(world.calls) == 12 and isinstance(errors[0], TypeError)


@pytest.mark.parametrize("how", PLAYS)
def test_parallel_calls_are_one_attempt(how: Any) -> None:
    check_parallel(how, Loopbreak())


@pytest.mark.parametrize("how", PLAYS)
def test_runs_do_not_mix(how: Any) -> None:
    check_separate(how, Loopbreak())


def test_runs_at_the_same_time_do_not_mix() -> None:
    guard, world = Loopbreak(), World()

    async def both() -> list[Any]:
        async def one(turns: Any) -> Any:
            agent = guard.protect(new_agent(ScriptedModel(turns, same_ids=True), world))
            return await Runner.run(agent, "go", hooks=guard.hooks, run_config=guard.run_config, max_turns=TURNS)

        short = [one([[LOOP]] * 2) for _ in range(5)]
        return await asyncio.gather(one([[LOOP]] * 30), *short, return_exceptions=True)

    stopped, *others = asyncio.run(both())
    assert isinstance(stopped, loopbreak.LoopStopped)
    assert [result.final_output for result in others] == ["done"] * 5


def test_a_message_of_the_user_ends_the_streak() -> None:
    check_user_frees(play, Loopbreak())


def test_the_user_can_go_on_after_a_stop() -> None:
    guard = Loopbreak()
    assert play([[LOOP]] * 30, guard, World(), "again").stopped is not None
    assert guard.stopped("again") is not None
    assert play([], guard, World(), "again").answer == "done"
    assert guard.stopped("again") is None


def test_a_session_is_valid_after_a_stop() -> None:
    guard, session = Loopbreak(), SQLiteSession("s")
    model = ScriptedModel([[LOOP] * 2] * 30)
    agent = guard.protect(new_agent(model, World()))
    guard = guard.for_run("s")

    async def run(text: str) -> Any:
        return await Runner.run(agent, text, session=session, hooks=guard.hooks, run_config=guard.run_config, max_turns=TURNS)

    with pytest.raises(loopbreak.LoopStopped):
        asyncio.run(run("go"))
    items = asyncio.run(session.get_items())
    asked = {item["call_id"] for item in items if item.get("type") == "function_call"}
    answered = {item["call_id"] for item in items if item.get("type") == "function_call_output"}
    assert asked == answered
    model.turns = []
    assert asyncio.run(run("go on")).final_output == "done"


def test_an_unknown_tool_is_a_loop_too() -> None:
    if hasattr(RunConfig(), "tool_not_found_behavior"):
        check_unknown_tool(play, Loopbreak())
    else:  # Before that option, the SDK ends the run at the first unknown tool.
        with pytest.raises(Exception, match="no_such_tool"):
            play([[("no_such_tool", {})]], Loopbreak(), World(), "unknown")


@pytest.mark.parametrize("how", PLAYS)
def test_invalid_arguments_are_a_loop_too(how: Any) -> None:
    played = how([[("read_file", {"pathh": "a"})]] * 30, Loopbreak(), World(), "invalid")
    assert (first_advice(played) or 99) <= 4 and played.stopped is not None


def test_a_failing_tool_is_a_loop_too(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = record_runs(monkeypatch)
    played = play([[("break_down", {"part": "x"})]] * 30, Loopbreak(), World(), "failing")
    assert (first_advice(played) or 99) <= 4 and played.stopped is not None
    assert {one["args"][3] for one in of(notes, "after")} == {True}


def test_usage_texts_and_the_user_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = record_runs(monkeypatch)
    play([[LOOP, ("list_items", {"page": 1})], [LOOP]], Loopbreak(), World(), "usage")
    spent = {"input_tokens": 100, "output_tokens": 7}
    assert usages(notes) == [spent, None, spent]
    assert [one["args"] for one in of(notes, "user")] == [("go",)]
    assert ("done",) in [one["args"] for one in of(notes, "text")]
    batches = [one["batch"] for one in of(notes, "after")]
    assert batches[0] == batches[1] != batches[2]
    assert {one["run"] for one in notes} == {"usage"}


def test_a_compaction_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    notes, guard = record_runs(monkeypatch), Loopbreak()
    agent = guard.protect(new_agent(ScriptedModel([[LOOP]] * 2), World()))
    items: list[Any] = [{"type": "compaction", "encrypted_content": "…"}, {"role": "user", "content": "go"}]
    asyncio.run(Runner.run(agent, items, hooks=guard.hooks, run_config=guard.run_config))
    assert len(of(notes, "compacted")) == 1
    assert [one["args"] for one in of(notes, "user")] == [("go",)]


class Shelf(MCPServer):
    """An MCP server in this process."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world

    name = "shelf"

    async def connect(self) -> None: ...

    async def cleanup(self) -> None: ...

    async def list_tools(self, run_context: Any = None, agent: Any = None) -> Any:
        schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
        return [MCPTool(name="read_file", inputSchema=schema)]

    async def call_tool(self, tool_name: str, arguments: Any, meta: Any = None) -> Any:
        return CallToolResult(content=[TextContent(type="text", text=self.world.read_file(**arguments))])

    async def list_prompts(self) -> Any:
        raise NotImplementedError

    async def get_prompt(self, name: str, arguments: Any = None) -> Any:
        raise NotImplementedError


def play_mcp(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    model = ScriptedModel(turns)
    agent = guard.protect(Agent("worker", model=model, mcp_servers=[Shelf(world)]))

    async def run() -> str:
        result = await Runner.run(agent, "go", hooks=guard.hooks, run_config=guard.run_config, max_turns=TURNS)
        return str(result.final_output)

    return finish(model, run())


def test_tools_of_an_mcp_server_are_guarded() -> None:
    check_loop(play_mcp, Loopbreak())


def test_tools_without_guardrails_are_seen_advised_and_stopped() -> None:
    guard, world = Loopbreak(), World()
    model = ScriptedModel([[LOOP]] * 40)
    agent = new_agent(model, world)  # not protected
    with pytest.raises(loopbreak.LoopStopped):
        asyncio.run(Runner.run(agent, "go", hooks=guard.hooks, run_config=guard.run_config, max_turns=TURNS))
    assert (first_advice(Played(model.requests)) or 99) <= 4
    assert len(world.calls) < 20


def test_tools_of_the_provider_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    notes, guard = record_runs(monkeypatch), Loopbreak()
    search = ResponseFunctionWebSearch(
        id="w", action=ActionSearch(type="search", query="weather"), status="completed", type="web_search_call"
    )
    model = ScriptedModel([[search, LOOP]] * 12)
    agent = guard.protect(new_agent(model, World()))
    with pytest.raises((loopbreak.LoopStopped, MaxTurnsExceeded)):
        asyncio.run(Runner.run(agent, "go", hooks=guard.hooks, run_config=guard.run_config, max_turns=11))
    names = [one["args"][0] for one in of(notes, "after")]
    assert names[:4] == ["web_search", "read_file", "web_search", "read_file"]
    assert of(notes, "after")[0]["args"][1]["query"] == "weather"


@pytest.mark.parametrize("kind", ["agent", "handoff"])
def test_an_agent_behind_a_handoff_is_guarded(kind: str) -> None:
    guard, world = Loopbreak(), World()
    helper = Agent("helper", model=ScriptedModel([[LOOP]] * 30), tools=[function_tool(world.read_file)])
    first = ScriptedModel([[("transfer_to_helper", {})]])
    target = helper if kind == "agent" else handoff(helper)
    agent = guard.protect(Agent("first", model=first, handoffs=[target]))
    with pytest.raises(loopbreak.LoopStopped):
        asyncio.run(Runner.run(agent, "go", hooks=guard.hooks, run_config=guard.run_config, max_turns=TURNS))
    assert len(world.calls) <= 7


def test_agents_that_hand_off_to_each_other_can_be_protected() -> None:
    one, other = Agent("one"), Agent("other")
    one.handoffs.append(other)
    other.handoffs.append(one)
    copy = Loopbreak().protect(one)
    assert copy is not one and copy.handoffs[0].handoffs[0] is copy  # type: ignore[union-attr]
    assert one.handoffs == [other]


def test_protect_leaves_the_agent_and_its_tools_as_they_were() -> None:
    agent = new_agent(ScriptedModel([]), World())
    copy = Loopbreak().protect(agent)
    assert all(isinstance(tool, FunctionTool) and not tool.tool_input_guardrails for tool in agent.tools)
    assert all(isinstance(tool, FunctionTool) and tool.tool_input_guardrails for tool in copy.tools)


def test_a_result_that_is_not_a_text_is_not_changed() -> None:
    @function_tool
    def picture() -> ToolOutputImage:
        """Returns a picture."""
        return ToolOutputImage(image_url="data:image/png;base64,AAAA")

    guard, model = Loopbreak(), ScriptedModel([[("picture", {})]] * 30)
    agent = guard.protect(Agent("worker", model=model, tools=[picture]))
    with pytest.raises(loopbreak.LoopStopped):
        asyncio.run(Runner.run(agent, "go", hooks=guard.hooks, run_config=guard.run_config, max_turns=TURNS))
    outputs = [item["output"] for item in model.inputs[6] if item.get("type") == "function_call_output"]
    assert all(isinstance(output, list) and output[0]["type"] == "input_image" for output in outputs)
    assert (first_advice(Played(model.requests)) or 99) <= 4


def test_two_guards_on_one_run_count_a_call_once(monkeypatch: pytest.MonkeyPatch) -> None:
    notes, world, first = record_runs(monkeypatch), World(), Loopbreak(run_id="two")
    second = Loopbreak(run_id="two", runs=first.runs)
    agent = second.protect(first.protect(new_agent(ScriptedModel([[LOOP]] * 2), world)))
    asyncio.run(Runner.run(agent, "go", hooks=first.hooks, run_config=second.run_config))
    assert len(world.calls) == 2
    assert len([one for one in of(notes, "after") if one["run"] == "two"]) == 2


def test_ids_of_calls_that_repeat_do_not_hide_a_loop() -> None:
    guard = Loopbreak()
    agent = guard.protect(new_agent(ScriptedModel([[LOOP]] * 30, same_ids=True), World()))
    with pytest.raises(loopbreak.LoopStopped):
        asyncio.run(Runner.run(agent, "go", hooks=guard.hooks, run_config=guard.run_config, max_turns=TURNS))


def test_a_cancelled_task_leaves_the_guard_usable() -> None:
    guard = Loopbreak()

    @function_tool
    async def read_file(path: str) -> str:
        """Hangs."""
        await asyncio.sleep(60)
        return path

    async def cancel() -> None:
        agent = guard.protect(Agent("worker", model=ScriptedModel([[LOOP]]), tools=[read_file]))
        run = guard.for_run("loop")
        task = asyncio.create_task(Runner.run(agent, "go", hooks=run.hooks, run_config=run.run_config))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    check_loop(play, guard)


def test_the_example_of_the_guide_runs() -> None:
    assert "LoopStopped" in run_page("openai_agents")
