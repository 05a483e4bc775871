from __future__ import annotations

import asyncio
import json
from importlib.metadata import version
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
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, SummarizationMiddleware, ToolCallLimitMiddleware
from langchain.agents.structured_output import ToolStrategy
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Command
from play_runs import Panic, break_guard, of, record_runs, usages
from pydantic import BaseModel

import loopbreak
from loopbreak.langchain import Loopbreak

USAGE = {"input_tokens": 100, "output_tokens": 7, "total_tokens": 107}


class ScriptedModel(BaseChatModel):
    """Makes the calls of its script, and then says "done"."""

    turns: Any
    requests: list[str] = []
    position: int = 0
    same_ids: bool = False

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **options: Any) -> ChatResult:
        self.requests.append(json.dumps([[one.type, one.content] for one in messages]))
        calls = turn_at(self.turns, self.position)
        self.position += 1
        first = "call" if self.same_ids else f"call-{id(self)}-{self.position}"
        message = AIMessage(
            "" if calls else "done",
            tool_calls=[
                {"name": name, "args": args, "id": f"{first}-{number}"} for number, (name, args) in enumerate(calls)
            ],
            usage_metadata=USAGE,
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


SAVERS: dict[int, InMemorySaver] = {}


def new_agent(model: ScriptedModel, guard: Loopbreak, world: World, **options: Any) -> Any:
    saver = SAVERS.setdefault(id(guard), InMemorySaver())
    tools = [tool(getattr(world, name)) for name in TOOLS]
    return create_agent(model, tools, middleware=[guard, CatchErrors()], checkpointer=saver, **options)


class CatchErrors(AgentMiddleware):
    """Shows the errors of tools to the model, as most agents do."""

    def wrap_tool_call(self, request: Any, handler: Any) -> Any:
        try:
            return handler(request)
        except ValueError as error:
            call = request.tool_call
            return ToolMessage(str(error), tool_call_id=call["id"], name=call["name"], status="error")

    async def awrap_tool_call(self, request: Any, handler: Any) -> Any:
        return await handler(request)


def play(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    model = ScriptedModel(turns=turns, requests=[])
    agent = new_agent(model, guard, world)
    config = {"configurable": {"thread_id": session}}
    try:
        result = agent.invoke({"messages": [HumanMessage("go")]}, config)
    except loopbreak.LoopStopped as stopped:
        return Played(model.requests, stopped)
    return Played(model.requests, None, result["messages"][-1].content)


def play_async(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    model = ScriptedModel(turns=turns, requests=[])
    agent = new_agent(model, guard, world)
    config = {"configurable": {"thread_id": session}}
    try:
        result = asyncio.run(agent.ainvoke({"messages": [HumanMessage("go")]}, config))
    except loopbreak.LoopStopped as stopped:
        return Played(model.requests, stopped)
    return Played(model.requests, None, result["messages"][-1].content)


def play_without_threads(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    model = ScriptedModel(turns=turns, requests=[])
    agent = create_agent(model, [tool(getattr(world, name)) for name in TOOLS], middleware=[guard])
    try:
        result = agent.invoke({"messages": [HumanMessage("go")]})
    except loopbreak.LoopStopped as stopped:
        return Played(model.requests, stopped)
    return Played(model.requests, None, result["messages"][-1].content)


def tool_graph(model: ScriptedModel, guard: Loopbreak, world: World, **options: Any) -> Any:
    """A graph of its own around a `ToolNode`."""

    def call_model(state: MessagesState) -> Any:
        return {"messages": [model.invoke(state["messages"])]}

    def route(state: MessagesState) -> str:
        return "tools" if state["messages"][-1].tool_calls else END

    node = ToolNode(
        [tool(getattr(world, name)) for name in TOOLS],
        wrap_tool_call=guard.wrap_tool_call,
        awrap_tool_call=guard.awrap_tool_call,
        **options,
    )
    graph = StateGraph(MessagesState)
    graph.add_node("model", call_model)
    graph.add_node("tools", node)
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", route, ["tools", END])
    graph.add_edge("tools", "model")
    return graph.compile()


def play_tool_node(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    model = ScriptedModel(turns=turns, requests=[])
    graph = tool_graph(model, guard, world)
    config = {"configurable": {"thread_id": session}, "recursion_limit": 100}
    try:
        result = graph.invoke({"messages": [HumanMessage("go")]}, config)
    except loopbreak.LoopStopped as stopped:
        return Played(model.requests, stopped)
    return Played(model.requests, None, result["messages"][-1].content)


PLAYS = [play, play_async, play_without_threads, play_tool_node]


@pytest.mark.parametrize("how", PLAYS)
def test_a_loop_is_advised_refused_and_stopped(how: Any) -> None:
    check_loop(how, Loopbreak())


@pytest.mark.parametrize("name", HEALTHY)
@pytest.mark.parametrize("how", [play, play_async, play_tool_node])
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
    monkeypatch.setattr(Loopbreak, "_find_run", None)
    assert how([[LOOP]] * 12, guard, world, "broken").answer == "done"
    assert len(world.calls) == 12 and isinstance(errors[0], TypeError)


@pytest.mark.parametrize("how", [play, play_async, play_tool_node])
def test_parallel_calls_are_one_attempt(how: Any) -> None:
    check_parallel(how, Loopbreak())


@pytest.mark.parametrize("how", [play, play_without_threads])
def test_threads_do_not_mix(how: Any) -> None:
    check_separate(how, Loopbreak())


def test_threads_of_one_agent_at_the_same_time_do_not_mix() -> None:
    guard, world = Loopbreak(), World()

    async def both() -> list[Any]:
        async def one(session: str, turns: Any) -> Any:
            agent = new_agent(ScriptedModel(turns=turns, requests=[], same_ids=True), guard, world)
            config = {"configurable": {"thread_id": session}}
            return await agent.ainvoke({"messages": [HumanMessage("go")]}, config)

        short = [one(f"short-{number}", [[LOOP]] * 2) for number in range(5)]
        return await asyncio.gather(one("long", [[LOOP]] * 30), *short, return_exceptions=True)

    stopped, *others = asyncio.run(both())
    assert isinstance(stopped, loopbreak.LoopStopped) and stopped.run == "long"
    assert [result["messages"][-1].content for result in others] == ["done"] * 5


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


def test_a_failing_tool_is_a_loop_too() -> None:
    played = play([[("break_down", {"part": "x"})]] * 30, Loopbreak(), World(), "failing")
    assert (first_advice(played) or 99) <= 4 and played.stopped is not None


def test_a_tool_node_that_shows_all_errors_to_the_model_is_stopped_too() -> None:
    graph = tool_graph(
        ScriptedModel(turns=[[("break_down", {"part": "x"})]] * 40, requests=[]),
        Loopbreak(),
        World(),
        handle_tool_errors=True,
    )
    messages, config = {"messages": [HumanMessage("go")]}, {"recursion_limit": 100}
    if version("langgraph-prebuilt") >= "1.1":
        with pytest.raises(loopbreak.LoopStopped):
            graph.invoke(messages, config)
    else:  # Older nodes make an answer of the stop as well. The tool is not run again.
        result = graph.invoke(messages, config)
        assert "GraphStopped" in result["messages"][-2].content


def test_an_exception_of_a_tool_passes_unchanged_and_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    notes, world = record_runs(monkeypatch), World()
    model = ScriptedModel(turns=[[("break_down", {"part": "x"})]], requests=[])
    agent = create_agent(model, [tool(world.break_down)], middleware=[Loopbreak()])
    with pytest.raises(ValueError, match="no such part"):
        agent.invoke({"messages": [HumanMessage("go")]})
    assert [one["args"][2:4] for one in of(notes, "after")] == [("ValueError: no such part: x", True)]


def test_structured_output_that_stays_invalid_is_a_loop_too() -> None:
    class Answer(BaseModel):
        number: int

    model = ScriptedModel(turns=[[("Answer", {"number": "many"})]] * 30, requests=[])
    agent = create_agent(model, [], middleware=[Loopbreak()], response_format=ToolStrategy(Answer))
    with pytest.raises(loopbreak.LoopStopped):
        agent.invoke({"messages": [HumanMessage("go")]})
    assert "[loopbreak]" in "".join(model.requests[:5])


def test_calls_that_another_middleware_answers_are_a_loop_too(monkeypatch: pytest.MonkeyPatch) -> None:
    notes, world = record_runs(monkeypatch), World()
    limit = ToolCallLimitMiddleware(tool_name="read_file", run_limit=1)
    model = ScriptedModel(turns=[[LOOP]] * 5, requests=[])
    agent = create_agent(model, [tool(world.read_file)], middleware=[Loopbreak(), limit])
    agent.invoke({"messages": [HumanMessage("go")]})
    assert len(world.calls) == 1
    assert [one["args"][3] for one in of(notes, "after")] == [False] + [True] * 4


def test_an_end_in_place_of_an_exception() -> None:
    guard, world = Loopbreak(on_stop="end"), World()
    agent = new_agent(ScriptedModel(turns=[[LOOP]] * 30, requests=[]), guard, world)
    config = {"configurable": {"thread_id": "end"}}
    result = agent.invoke({"messages": [HumanMessage("go")]}, config)
    assert result["loopbreak_stopped"]["run"] == "end"
    last = result["messages"][-1]
    assert isinstance(last, AIMessage) and last.content.startswith("Stopped by Loopbreak")
    assert last.additional_kwargs["loopbreak"] == result["loopbreak_stopped"]
    again = new_agent(ScriptedModel(turns=[], requests=[]), guard, world)
    result = again.invoke({"messages": [HumanMessage("and now?")]}, config)
    assert result["messages"][-1].content == "done" and result["loopbreak_stopped"] is None


def test_the_conversation_is_valid_after_a_stop() -> None:
    guard, world = Loopbreak(), World()
    agent = new_agent(ScriptedModel(turns=[[LOOP] * 2] * 30, requests=[]), guard, world)
    config = {"configurable": {"thread_id": "valid"}}
    with pytest.raises(loopbreak.LoopStopped):
        agent.invoke({"messages": [HumanMessage("go")]}, config)
    messages = agent.get_state(config).values["messages"]
    asked = [call["id"] for one in messages if isinstance(one, AIMessage) for call in one.tool_calls]
    assert asked == [one.tool_call_id for one in messages if isinstance(one, ToolMessage)]


def test_usage_texts_and_the_user_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = record_runs(monkeypatch)
    play([[LOOP, ("list_items", {"page": 1})], [LOOP]], Loopbreak(), World(), "usage")
    spent = {"input_tokens": 100, "output_tokens": 7}
    assert usages(notes) == [spent, None, spent]
    assert [one["args"] for one in of(notes, "user")] == [("go",)]
    assert ("done",) in [one["args"] for one in of(notes, "text")]
    batches = [one["batch"] for one in of(notes, "after")]
    assert batches[0] == batches[1] != batches[2]


def test_a_summary_is_a_compaction_and_no_word_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = record_runs(monkeypatch)
    model = ScriptedModel(turns=[[("list_items", {"page": page})] for page in range(8)], requests=[])
    writer = ScriptedModel(turns=[], requests=[])
    summary = SummarizationMiddleware(writer, trigger=("messages", 8), keep=("messages", 4))
    agent = create_agent(model, [tool(World().list_items)], middleware=[summary, Loopbreak()])
    agent.invoke({"messages": [HumanMessage("go")]})
    assert writer.requests and len(of(notes, "compacted")) == len(writer.requests)
    assert [one["args"] for one in of(notes, "user")] == [("go",)]


def test_an_agent_that_a_tool_calls_hears_no_user(monkeypatch: pytest.MonkeyPatch) -> None:
    notes, guard, world = record_runs(monkeypatch), Loopbreak(), World()

    @tool
    def ask_expert(question: str) -> str:
        """Asks another agent."""
        model = ScriptedModel(turns=[], requests=[])
        expert = create_agent(model, [tool(world.read_file)], middleware=[guard], name="expert")
        return str(expert.invoke({"messages": [HumanMessage(question)]})["messages"][-1].content)

    model = ScriptedModel(turns=[[("ask_expert", {"question": "why?"})]] * 30, requests=[])
    agent = create_agent(model, [ask_expert], middleware=[guard], checkpointer=InMemorySaver())
    with pytest.raises(loopbreak.LoopStopped):
        agent.invoke({"messages": [HumanMessage("go")]}, {"configurable": {"thread_id": "nested"}})
    assert [one["args"] for one in of(notes, "user")] == [("go",)]


def test_a_tool_that_returns_a_command_is_seen_and_advised() -> None:
    @tool
    def plan(step: str) -> Any:
        """Changes the state of the agent."""
        return Command(update={"messages": [ToolMessage("planned", tool_call_id="call-0")]})

    model = ScriptedModel(turns=[[("plan", {"step": "a"})]] * 30, requests=[], same_ids=True)
    agent = create_agent(model, [plan], middleware=[Loopbreak()])
    with pytest.raises(loopbreak.LoopStopped):
        agent.invoke({"messages": [HumanMessage("go")]})
    assert "[loopbreak]" in "".join(model.requests[:5])


def test_two_guards_on_one_run_count_a_call_once(monkeypatch: pytest.MonkeyPatch) -> None:
    notes, world = record_runs(monkeypatch), World()
    first = Loopbreak()

    class Second(Loopbreak):
        pass

    model = ScriptedModel(turns=[[LOOP]] * 2, requests=[])
    middleware = [first, Second(runs=first.runs)]
    agent = create_agent(model, [tool(world.read_file)], middleware=middleware, checkpointer=InMemorySaver())
    agent.invoke({"messages": [HumanMessage("go")]}, {"configurable": {"thread_id": "two"}})
    assert len(world.calls) == len(of(notes, "after")) == 2
    assert len(of(notes, "before")) == 2


def test_ids_of_calls_that_repeat_do_not_hide_a_loop() -> None:
    model = ScriptedModel(turns=[[LOOP]] * 30, requests=[], same_ids=True)
    agent = create_agent(model, [tool(World().read_file)], middleware=[Loopbreak()])
    with pytest.raises(loopbreak.LoopStopped):
        agent.invoke({"messages": [HumanMessage("go")]})


def test_a_cancelled_task_leaves_the_guard_usable() -> None:
    guard = Loopbreak()

    @tool
    async def read_file(path: str) -> str:
        """Hangs."""
        await asyncio.sleep(60)
        return path

    async def cancel() -> None:
        model = ScriptedModel(turns=[[LOOP]], requests=[])
        agent = create_agent(model, [read_file], middleware=[guard], checkpointer=InMemorySaver())
        messages = {"messages": [HumanMessage("go")]}
        task = asyncio.create_task(agent.ainvoke(messages, {"configurable": {"thread_id": "loop"}}))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    check_loop(play, guard)


def test_a_wrong_option_is_an_error() -> None:
    with pytest.raises(ValueError, match="on_stop"):
        Loopbreak(on_stop="never")  # type: ignore[arg-type]
    with pytest.raises(Exception, match="warn_at"):
        Loopbreak(config={"cycle": {"warn_at": 0}})


def test_the_example_of_the_guide_runs() -> None:
    assert "LoopStopped" in run_page("langchain")
