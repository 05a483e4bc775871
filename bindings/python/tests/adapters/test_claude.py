"""These tests run the Claude Code that the SDK brings along, with a scripted model on the loopback address."""

from __future__ import annotations

import asyncio
import contextlib
import os
import tempfile
from typing import Any

import pytest
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage, query
from guide_page import run_page
from play_runs import Panic, break_guard, of, record_runs
from scripted_anthropic import ScriptedAnthropic, call, say

import loopbreak
from loopbreak.claude import GuardHooks, hooks

LOOP = call("Bash", {"command": "echo nothing", "description": "look"})


class Played:
    def __init__(self) -> None:
        self.results: list[ResultMessage] = []
        self.stopped: loopbreak.LoopStopped | None = None
        self.seen = ""
        self.requests: list[Any] = []

    def advised_after(self) -> int | None:
        """Returns the number of results that the model had when it first read advice."""
        for request in self.requests:
            text = str(request["messages"])
            if "[loopbreak]" in text:
                return text.count("'tool_result'")
        return None


@contextlib.contextmanager
def scripted(turns: list[Any]) -> Any:
    answers = iter(turns)
    with ScriptedAnthropic(lambda messages: next(answers, [say("done")])) as model, tempfile.TemporaryDirectory() as home:
        yield model, home


def options_for(model: ScriptedAnthropic, home: str, guard: GuardHooks) -> ClaudeAgentOptions:
    return ClaudeAgentOptions(
        hooks=guard,
        cwd=home,
        env={**model.environment, "HOME": home, "CLAUDE_CONFIG_DIR": home, "PATH": os.environ["PATH"]},
        permission_mode="bypassPermissions",
        setting_sources=[],
        max_turns=40,
    )


def play(turns: list[Any], guard: GuardHooks, *, watch: bool = True) -> Played:
    played = Played()

    async def run() -> None:
        with scripted(turns) as (model, home):
            stream = query(prompt="look around", options=options_for(model, home, guard))
            try:
                async for message in guard.watch(stream) if watch else stream:
                    if isinstance(message, ResultMessage):
                        played.results.append(message)
            except loopbreak.LoopStopped as stopped:
                played.stopped = stopped
            played.requests = [request for request in model.requests if request.get("tools")]
            played.seen = model.seen_by_model()

    asyncio.run(run())
    return played


def test_a_loop_is_advised_refused_and_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = record_runs(monkeypatch)
    played = play([[LOOP]] * 40, hooks())
    assert (played.advised_after() or 99) <= 4
    assert len(of(notes, "after")) <= 7
    assert "refused" in played.seen
    assert played.stopped is not None and played.stopped.run == played.results[-1].session_id
    assert len(played.requests) <= 16


def test_a_stop_without_watching_is_told_by_the_guard() -> None:
    guard = hooks()
    played = play([[LOOP]] * 40, guard, watch=False)
    assert len(played.requests) <= 16
    assert guard.stopped(played.results[-1].session_id) is not None


def test_healthy_agents_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = record_runs(monkeypatch)
    varied = [[call("Bash", {"command": f"echo part {n}", "description": "look"})] for n in range(6)]
    edits = [
        [call("Bash", {"command": command, "description": "work"})]
        for n in range(5)
        for command in (f"echo 'x = {n}' > a.py", "wc -c a.py; cat a.py")
    ]
    polls = [[call("Bash", {"command": "echo x >> job; wc -l < job", "description": "poll"})]] * 8
    played = play(varied + edits + polls, hooks())
    assert played.stopped is None and played.results[-1].result == "done"
    assert played.advised_after() is None
    assert len(of(notes, "after")) == 24
    assert all(one["answer"].accepted for one in of(notes, "before"))


@pytest.mark.parametrize("error", [RuntimeError, Panic])
def test_an_error_in_the_guard_does_not_reach_the_agent(error: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    errors: list[BaseException] = []
    break_guard(monkeypatch, error)
    played = play([[LOOP]] * 12, hooks(on_error=errors.append))
    assert played.results[-1].result == "done" and len(played.requests) == 13
    assert isinstance(errors[0], error)


def test_an_unknown_tool_and_invalid_arguments_are_loops_too() -> None:
    for wrong in (call("NoSuchTool", {"a": 1}), call("Bash", {"commandd": "ls"})):
        played = play([[wrong]] * 30, hooks())
        assert played.stopped is not None and len(played.requests) <= 18


def test_usage_texts_and_the_user_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = record_runs(monkeypatch)
    play([[say("I look."), LOOP], [LOOP]], hooks())
    assert [one["args"] for one in of(notes, "user")] == [("look around",)]
    texts = [one["args"][0] for one in of(notes, "text")]
    assert texts == ["done"]
    assert [one["args"][4] for one in of(notes, "after")] == [{"input_tokens": 100, "output_tokens": 10}] * 2


def test_a_failing_command_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    notes = record_runs(monkeypatch)
    play([[call("Bash", {"command": "ls /nowhere", "description": "look"})]], hooks())
    assert [one["args"][3] for one in of(notes, "after")] == [True]


def test_a_message_of_the_user_ends_the_streak_and_sessions_do_not_mix(monkeypatch: pytest.MonkeyPatch) -> None:
    notes, guard = record_runs(monkeypatch), hooks()
    turns = ([[LOOP]] * 5 + [[say("done")]]) * 2

    async def talk() -> None:
        with scripted(turns) as (model, home):
            async with ClaudeSDKClient(options=options_for(model, home, guard)) as client:
                for _ in range(2):
                    await client.query("look around")
                    async for _message in guard.watch(client.receive_response()):
                        pass

    asyncio.run(talk())
    assert len(of(notes, "after")) == 10
    assert play([[LOOP]] * 40, guard).stopped is not None
    assert play([[LOOP]] * 2, guard).results[-1].result == "done"


def test_calls_that_run_at_the_same_time_are_one_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    notes, guard = record_runs(monkeypatch), hooks()

    def event(kind: str, call_id: str, **more: Any) -> dict[str, Any]:
        common = {"session_id": "s", "tool_name": "Read", "tool_input": {"file_path": "a"}, "tool_use_id": call_id}
        return {"hook_event_name": kind, **common, **more}

    async def run() -> None:
        for message in range(2):
            ids = [f"{message}-{number}" for number in range(3)]
            for one in ids:
                await guard._answer(event("PreToolUse", one), one, None)
            for one in ids:
                assert await guard._answer(event("PostToolUse", one, tool_response="x"), one, None) == {}

    asyncio.run(run())
    batches = [one["batch"] for one in of(notes, "after")]
    assert len(batches) == 6 and len(set(batches)) == 2


def test_a_cancelled_task_leaves_the_guard_usable() -> None:
    guard = hooks()

    async def cancel() -> None:
        with scripted([[call("Bash", {"command": "sleep 60", "description": "hang"})]]) as (model, home):
            async def run() -> None:
                async for _ in guard.watch(query(prompt="go", options=options_for(model, home, guard))):
                    pass

            task = asyncio.create_task(run())
            await asyncio.sleep(5)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(cancel())
    assert play([[LOOP]] * 40, guard).stopped is not None


def test_the_example_of_the_guide_runs() -> None:
    assert "LoopStopped" in run_page("claude")
