from __future__ import annotations

import threading
import time
from typing import Any

import pytest

pytest.importorskip("smolagents")

import loopbreak
from cases import (
    HEALTHY,
    LOOP,
    TOOLS,
    Call,
    Played,
    World,
    check_fails_open,
    check_healthy,
    check_loop,
    check_page,
    check_parallel,
    check_separate,
    check_unknown_tool,
    turn_at,
    usage_of,
    watch_runs,
)
from loopbreak.smolagents import Loopbreak
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
    Model,
)
from smolagents.monitoring import LogLevel, TokenUsage

from smolagents import CodeAgent, Tool, ToolCallingAgent


class ScriptedModel(Model):
    def __init__(self, turns: Any, *, as_code: bool = False) -> None:
        super().__init__(model_id="scripted")
        self.turns, self.requests, self.position, self.as_code = turns, [], 0, as_code

    def generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatMessage:
        self.requests.append("\n".join(str(message.content) for message in messages))
        calls = turn_at(self.turns, self.position)
        self.position += 1
        usage = TokenUsage(input_tokens=100, output_tokens=7)
        if self.as_code:
            text = "\n".join(self._program(calls) or ['final_answer("done")'])
            return ChatMessage(MessageRole.ASSISTANT, f"Thought: go on\n<code>\n{text}\n</code>", token_usage=usage)
        made = [
            ChatMessageToolCall(
                id=f"c{self.position}-{n}",
                type="function",
                function=ChatMessageToolCallFunction(name=name, arguments=args),
            )
            for n, (name, args) in enumerate(calls or [("final_answer", {"answer": "done"})])
        ]
        return ChatMessage(MessageRole.ASSISTANT, "", tool_calls=made, token_usage=usage)

    @staticmethod
    def _program(calls: Any) -> list[str]:
        return [f"print({name}({', '.join(f'{key}={value!r}' for key, value in args.items())}))" for name, args in calls]


def tools_of(world: World) -> list[Tool]:
    return [make_tool(name, getattr(world, name)) for name in TOOLS]


def make_tool(tool_name: str, function: Any) -> Tool:
    kinds = {"page": "integer"}
    names = [name for name in function.__code__.co_varnames[: function.__code__.co_argcount] if name != "self"]

    class Made(Tool):
        name = tool_name
        description = function.__doc__ or tool_name
        inputs = {name: {"type": kinds.get(name, "string"), "description": name} for name in names}
        output_type = "string"
        skip_forward_signature_validation = True

        def forward(self, *args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

    return Made()


AGENTS: dict[tuple[int, str], Any] = {}


def run_agent(agent: Any, guard: Loopbreak) -> Played:
    try:
        answer = agent.run("go", reset=False)
    except loopbreak.LoopStopped as stopped:
        assert guard.stopped is stopped or guard.stopped is not None
        return Played(agent.model.requests, stopped)
    return Played(agent.model.requests, None, str(answer))


def play(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    model = ScriptedModel(turns)
    agent = AGENTS.get((id(guard), session))
    if agent is None:
        agent = ToolCallingAgent(tools_of(world), model, max_steps=100, verbosity_level=LogLevel.OFF)
        AGENTS[id(guard), session] = guard.protect(agent)
    agent.model = model
    return run_agent(agent, guard)


def play_code(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    model = ScriptedModel(turns, as_code=True)
    agent = CodeAgent(tools_of(world), model, max_steps=100, verbosity_level=LogLevel.OFF)
    return run_agent(guard.protect(agent), guard)


PLAYS = [play, play_code]


@pytest.mark.parametrize("how", PLAYS)
def test_a_loop_is_advised_refused_and_stopped(how: Any) -> None:
    check_loop(how, Loopbreak())


@pytest.mark.parametrize("how", PLAYS)
@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_agent_is_left_alone(how: Any, name: str) -> None:
    check_healthy(how, Loopbreak, name)


@pytest.mark.parametrize("how", PLAYS)
def test_an_error_in_the_guard_does_not_reach_the_agent(how: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    check_fails_open(how, Loopbreak(), monkeypatch)


def test_an_error_in_the_adapter_does_not_reach_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    errors: list[BaseException] = []
    guard, world = Loopbreak(on_error=errors.append), World()
    model = ScriptedModel([[LOOP]] * 3)
    agent = guard.protect(ToolCallingAgent(tools_of(world), model, max_steps=100, verbosity_level=LogLevel.OFF))

    def fail(*args: Any, **kwargs: Any) -> Any:
        raise KeyError("broken")

    for method in ("batch", "begin", "take_note", "take_usage"):
        monkeypatch.setattr(guard._turns, method, fail)
    assert run_agent(agent, guard).answer == "done"
    assert len(world.calls) == 3
    assert errors


def test_parallel_calls_in_threads_are_one_attempt() -> None:
    check_parallel(play, Loopbreak())


def test_agents_do_not_mix() -> None:
    check_separate(play, Loopbreak())


def test_agents_in_threads_do_not_mix() -> None:
    guard, worlds, played = Loopbreak(), [World() for _ in range(6)], []
    threads = [
        threading.Thread(target=lambda n=n: played.append(play([[LOOP]] * 2, guard, worlds[n], f"thread {n}")))  # type: ignore[misc]
        for n in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.answer for one in played] == ["done"] * 6
    assert [len(world.calls) for world in worlds] == [2] * 6
    assert guard.stopped is None


def test_a_new_task_ends_the_streak() -> None:
    guard, world = Loopbreak(), World()
    for _ in range(2):
        played = play([[LOOP]] * 6, guard, world, "talk")
        assert played.answer == "done"
    assert len(world.calls) == 12


def test_an_unknown_tool_is_a_loop_too() -> None:
    check_unknown_tool(play, Loopbreak())


def test_invalid_arguments_are_a_loop_too() -> None:
    played = play([[("read_file", {"wrong": 1})]] * 30, Loopbreak(), World(), "invalid")
    assert any("[loopbreak]" in text for text in played.requests[:5])
    assert played.stopped is not None


def test_output_that_cannot_be_parsed_is_a_loop_too() -> None:
    guard = Loopbreak()

    class Babbling(ScriptedModel):
        def generate(self, messages: Any, *args: Any, **kwargs: Any) -> ChatMessage:
            self.requests.append("\n".join(str(message.content) for message in messages))
            return ChatMessage(MessageRole.ASSISTANT, "I will do it now.")

    model = Babbling([])
    agent = guard.protect(CodeAgent([], model, max_steps=40, verbosity_level=LogLevel.OFF))
    with pytest.raises(loopbreak.LoopStopped):
        agent.run("go")
    assert any("[loopbreak]" in text for text in model.requests[:5])


@pytest.mark.parametrize("how", PLAYS)
def test_a_failing_tool_is_recorded_once_and_advised(how: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    played = how([[("break_down", {"part": "x"})]] * 5, Loopbreak(), World(), "failing")
    outcomes = [args[3] for method, _, args, _ in seen if method == "after"]
    assert outcomes[:5] == [True] * 5
    assert any("[loopbreak]" in text for text in played.requests[:5])


def test_usage_and_the_user_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    play([[LOOP, ("list_items", {"page": 1})], [LOOP]], Loopbreak(), World(), "usage")
    assert usage_of(seen) == [None, None, {"input_tokens": 100, "output_tokens": 7}]
    assert [args for method, _, args, _ in seen if method == "user"] == [("go",)]
    batches = [named["batch"] for method, _, _, named in seen if method == "after"]
    assert batches[0] == batches[1] != batches[2]


def test_the_last_step_stays_in_the_memory_after_a_stop() -> None:
    guard, world = Loopbreak(), World()
    agent = ToolCallingAgent(
        tools_of(world), ScriptedModel([[LOOP]] * 30), max_steps=100, verbosity_level=LogLevel.OFF
    )
    played = run_agent(guard.protect(agent), guard)
    assert played.stopped is not None
    assert len(agent.memory.steps) == len(played.requests) + 1  # the task is a step too


def test_a_streamed_run_is_stopped_too() -> None:
    guard, world = Loopbreak(), World()
    agent = ToolCallingAgent(
        tools_of(world), ScriptedModel([[LOOP]] * 30), max_steps=100, verbosity_level=LogLevel.OFF
    )
    with pytest.raises(loopbreak.LoopStopped):
        list(guard.protect(agent).run("go", stream=True))


def test_a_managed_agent_is_guarded_as_well() -> None:
    guard, world = Loopbreak(), World()
    worker = ToolCallingAgent(
        tools_of(world),
        ScriptedModel([[LOOP]] * 30),
        name="worker",
        description="works",
        max_steps=100,
        verbosity_level=LogLevel.OFF,
    )
    asked: list[list[Call]] = [[("worker", {"task": "do it"})]]
    boss = ToolCallingAgent(
        [], ScriptedModel(asked), managed_agents=[worker], max_steps=9, verbosity_level=LogLevel.OFF
    )
    assert guard.protect(boss).run("go") == "done"
    assert guard.stopped is not None
    assert len(world.calls) <= 7
    assert "Error executing request to team member" in boss.model.requests[-1]


def test_an_interrupted_run_leaves_the_guard_usable() -> None:
    guard, world = Loopbreak(), World()

    def read_file(path: str) -> str:
        """Takes a while."""
        time.sleep(0.3)
        return path

    world.read_file = read_file  # type: ignore[method-assign, assignment]
    agent = guard.protect(
        ToolCallingAgent(tools_of(world), ScriptedModel([[LOOP]] * 3), max_steps=9, verbosity_level=LogLevel.OFF)
    )
    threading.Timer(0.1, agent.interrupt).start()
    with pytest.raises(Exception, match="interrupted"):
        agent.run("go")
    assert guard.stopped is None
    check_loop(play, guard)


def test_the_example_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    check_page("smolagents", capsys)
