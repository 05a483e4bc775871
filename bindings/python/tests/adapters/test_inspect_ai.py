from __future__ import annotations

import functools
import os
import uuid
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai")

import tiktoken
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
    usage_of,
    watch_runs,
)
from inspect_ai.agent import react
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageAssistant, ModelOutput, ModelUsage, get_model
from inspect_ai.model._model_output import ChatCompletionChoice
from inspect_ai.tool import ToolCall, ToolDef
from loopbreak.inspect_ai import Loopbreak

from inspect_ai import Task, eval


class CountsWords:
    """The real encoding would be downloaded."""

    def encode(self, text: str, **options: Any) -> list[int]:
        return [len(word) for word in text.split()]

    encode_ordinary = encode


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("get_encoding", "encoding_for_model"):
        monkeypatch.setattr(tiktoken, name, lambda *args: CountsWords())
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path))
    os.environ["INSPECT_DISPLAY"] = "none"


def output_for(calls: Any) -> ModelOutput:
    made = [ToolCall(id=uuid.uuid4().hex, function=name, arguments=args) for name, args in calls]
    if not made:
        made = [ToolCall(id=uuid.uuid4().hex, function="submit", arguments={"answer": "done"})]
    message = ChatMessageAssistant(content="", tool_calls=made, source="generate")
    usage = ModelUsage(input_tokens=100, output_tokens=7, total_tokens=107)
    return ModelOutput(
        model="mockllm", choices=[ChatCompletionChoice(message=message, stop_reason="tool_calls")], usage=usage
    )


def as_function(method: Any) -> Any:
    @functools.wraps(method)
    async def execute(*args: Any, **options: Any) -> Any:
        return method(*args, **options)

    return execute


def play_samples(turns: Any, guard: Loopbreak, world: World, samples: int = 1, **options: Any) -> Any:
    outputs = [output_for(calls) for calls in turns] + [output_for([])]

    requests: list[str] = []

    def answer(messages: Any, tools: Any, choice: Any, config: Any) -> ModelOutput:
        requests.append("\n".join(f"{message.text} {getattr(message, 'error', '')}" for message in messages))
        made = sum(isinstance(message, ChatMessageAssistant) for message in messages)
        return outputs[min(made, len(outputs) - 1)].model_copy(deep=True)

    tools = [
        ToolDef(as_function(getattr(world, name)), name=name, parameters=dict.fromkeys(args, "value")).as_tool()
        for name, args in TOOL_ARGS.items()
    ]
    on_continue = options.get("on_continue", guard.on_continue())
    task = Task(
        dataset=[Sample(input="go", id=n) for n in range(samples)],
        solver=react(tools=tools, on_continue=on_continue),
        approval=guard.approval,
    )
    log = eval(task, model=get_model("mockllm/model", custom_outputs=answer), display="none", log_samples=True)[0]
    assert log.status == "success", log.error
    return log, requests


TOOL_ARGS = {
    name: [arg for arg in getattr(World, name).__code__.co_varnames[1 : getattr(World, name).__code__.co_argcount]]
    for name in TOOLS
}


def play(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    """The samples of an evaluation are the conversations."""
    before = guard.stopped
    log, requests = play_samples(turns, guard, world)
    sample = log.samples[0]
    stopped = guard.stopped if guard.stopped is not before else None
    if stopped is not None:
        notes = [event.data for event in sample.events if event.event == "info" and event.source == "loopbreak"]
        assert notes and notes[0]["loop_stopped"]["pattern"] == stopped.pattern
        assert sample.store["loopbreak:run"] == stopped.run
    return Played(requests, stopped, sample.output.completion)


def test_a_loop_is_advised_refused_and_stopped() -> None:
    check_loop(play, Loopbreak())


def test_a_stop_is_the_limit_operator() -> None:
    log, _ = play_samples([[LOOP]] * 30, Loopbreak(), World())
    assert log.samples[0].limit.type == "operator"


def test_a_loop_is_refused_and_stopped_without_on_continue() -> None:
    guard, world = Loopbreak(), World()
    log, requests = play_samples([[LOOP]] * 30, guard, world, on_continue=None)
    assert len(world.calls) <= 7
    assert guard.stopped is not None
    assert log.samples[0].limit.type == "operator"
    assert len(requests) <= 16


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_agent_is_left_alone(name: str) -> None:
    check_healthy(play, Loopbreak, name)


def test_an_error_in_the_guard_does_not_reach_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    check_fails_open(play, Loopbreak(), monkeypatch)


def test_an_error_in_the_adapter_does_not_reach_the_agent() -> None:
    errors: list[BaseException] = []
    guard = Loopbreak(on_error=errors.append)
    guard._seen = guard._turns = None  # type: ignore[assignment]
    world = World()
    played = play([[LOOP]] * 3, guard, world, "broken")
    assert len(world.calls) == 3 and played.answer == "done"
    assert errors


def test_parallel_calls_are_one_attempt() -> None:
    check_parallel(play, Loopbreak())


def test_samples_do_not_mix() -> None:
    check_separate(play, Loopbreak())


def test_samples_that_run_at_the_same_time_do_not_mix() -> None:
    guard, world = Loopbreak(), World()
    log, requests = play_samples([[LOOP]] * 2, guard, world, samples=6)
    assert len(world.calls) == 12
    assert guard.stopped is None
    assert not any("[loopbreak]" in text for text in requests)
    assert len({sample.store["loopbreak:run"] for sample in log.samples}) == 6


def test_an_unknown_tool_is_a_loop_too() -> None:
    check_unknown_tool(play, Loopbreak())


def test_invalid_arguments_are_a_loop_too() -> None:
    played = play([[("read_file", {"wrong": 1})]] * 30, Loopbreak(), World(), "invalid")
    assert any("[loopbreak]" in text for text in played.requests[:6])
    assert played.stopped is not None


def test_usage_and_the_user_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    play([[LOOP, ("list_items", {"page": 1})], [LOOP]], Loopbreak(), World(), "usage")
    tokens = [usage["input_tokens"] for usage in usage_of(seen) if usage]
    assert tokens == [100, 100]
    assert [args for method, _, args, _ in seen if method == "user"] == [("go",)]
    batches = [named["batch"] for method, _, _, named in seen if method == "after"]
    assert batches[0] == batches[1] != batches[2]


def test_an_agent_without_submit_ends_when_it_makes_no_call() -> None:
    guard, world = Loopbreak(), World()

    def answer(messages: Any, tools: Any, choice: Any, config: Any) -> ModelOutput:
        if any(isinstance(message, ChatMessageAssistant) for message in messages):
            return ModelOutput.from_content("mockllm", "done")
        return output_for([LOOP])

    tools = [ToolDef(as_function(world.read_file), name="read_file", parameters={"path": "a path"}).as_tool()]
    solver = react(tools=tools, submit=False, on_continue=guard.on_continue(submit=False))
    log = eval(
        Task(dataset=[Sample(input="go")], solver=solver, approval=guard.approval),
        model=get_model("mockllm/model", custom_outputs=answer),
        display="none",
    )[0]
    assert log.status == "success"
    assert log.samples[0].output.completion == "done"
    assert len(world.calls) == 1


def test_a_sample_that_is_cut_off_leaves_the_guard_usable() -> None:
    guard, world = Loopbreak(), World()

    async def read_file(path: str) -> str:
        """Hangs."""
        import anyio

        await anyio.sleep(60)
        return path

    solver = react(
        tools=[ToolDef(read_file, name="read_file", parameters={"path": "a path"}).as_tool()],
        on_continue=guard.on_continue(),
    )
    log = eval(
        Task(dataset=[Sample(input="go")], solver=solver, approval=guard.approval, time_limit=1),
        model=get_model("mockllm/model", custom_outputs=lambda *args: output_for([LOOP])),
        display="none",
    )[0]
    assert log.samples[0].limit.type == "time"
    check_loop(play, guard)
    assert world.calls == []


def test_the_example_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    check_page("inspect_ai", capsys)
