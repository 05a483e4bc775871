from __future__ import annotations

import asyncio
import copy
import json
import os
import textwrap
from pathlib import Path
from typing import Any

import pytest

# Otherwise LiteLLM tries to download prices while it is imported.
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
pytest.importorskip("litellm")
pytest.importorskip("litellm.proxy.proxy_server")

from cases import (
    HEALTHY,
    LOOP,
    Played,
    World,
    check_fails_open,
    check_healthy,
    check_loop,
    check_page,
    check_parallel,
    check_separate,
    turn_at,
    watch_runs,
)
from fastapi import HTTPException
from fastapi.testclient import TestClient
from litellm.proxy import proxy_server
from loopbreak.litellm import Loopbreak


class ChatAgent:
    """An agent of the chat API: it runs its tools by itself, and sends the whole conversation each time."""

    key = "messages"

    def __init__(self) -> None:
        self.messages: list[Any] = []

    def ask(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})

    def call(self, calls: Any, number: int) -> list[tuple[str, Any]]:
        made = [
            {
                "id": f"c{number}-{n}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(args)},
            }
            for n, (name, args) in enumerate(calls)
        ]
        self.messages.append({"role": "assistant", "content": None, "tool_calls": made})
        return [(call["id"], one) for call, one in zip(made, calls)]

    def answer(self, results: list[tuple[str, str]]) -> None:
        self.messages += [{"role": "tool", "tool_call_id": call, "content": text} for call, text in results]


class MessagesAgent(ChatAgent):
    """The same with the Messages API of Anthropic."""

    def call(self, calls: Any, number: int) -> list[tuple[str, Any]]:
        made = [
            {"type": "tool_use", "id": f"c{number}-{n}", "name": name, "input": args}
            for n, (name, args) in enumerate(calls)
        ]
        self.messages.append({"role": "assistant", "content": made})
        return [(str(block["id"]), one) for block, one in zip(made, calls)]

    def answer(self, results: list[tuple[str, str]]) -> None:
        blocks = [{"type": "tool_result", "tool_use_id": call, "content": text} for call, text in results]
        self.messages.append({"role": "user", "content": blocks})


class ResponsesAgent(ChatAgent):
    """The same with the Responses API of OpenAI."""

    key = "input"

    def call(self, calls: Any, number: int) -> list[tuple[str, Any]]:
        made = [
            {"type": "function_call", "call_id": f"c{number}-{n}", "name": name, "arguments": json.dumps(args)}
            for n, (name, args) in enumerate(calls)
        ]
        self.messages += made
        return [(str(item["call_id"]), one) for item, one in zip(made, calls)]

    def answer(self, results: list[tuple[str, str]]) -> None:
        self.messages += [{"type": "function_call_output", "call_id": call, "output": text} for call, text in results]


AGENTS: dict[tuple[Any, str], ChatAgent] = {}


def player(kind: type[ChatAgent]) -> Any:
    def play(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
        agent = AGENTS.setdefault((guard, session), kind())
        agent.ask("go")
        requests: list[str] = []
        for number in range(len(turns) + 1):
            sent = {"model": "m", agent.key: agent.messages, "metadata": {"session_id": session}}
            before = copy.deepcopy(agent.messages)
            try:
                data = asyncio.run(guard.async_pre_call_hook(None, None, sent, "completion"))
            except HTTPException as error:
                assert error.status_code == 400
                assert error.detail["error"]["code"] == "loop_stopped"
                return Played(requests, error.__cause__)  # type: ignore[arg-type]
            assert agent.messages == before, "the messages of the caller were changed"
            requests.append(json.dumps(data[agent.key]))
            calls = turn_at(turns, number)
            if not calls:
                break
            asked = agent.call(calls, len(agent.messages))
            agent.answer([(call, result_of(world, one)) for call, one in asked])
        return Played(requests, None, "done")

    return play


def result_of(world: World, call: Any) -> str:
    try:
        return str(getattr(world, call[0])(**call[1]))
    except ValueError as error:
        return f"Error: {error}"


APIS = [ChatAgent, MessagesAgent, ResponsesAgent]


@pytest.mark.parametrize("kind", APIS)
def test_a_loop_is_advised_and_stopped(kind: Any) -> None:
    played = check_loop(player(kind), Loopbreak(), can_refuse=False)
    # The tools run in the client. From the 8th call on, the model reads that it should not have been made.
    assert any("refused" in text for text in played.requests[8:10])


@pytest.mark.parametrize("kind", APIS)
@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_agent_is_left_alone(kind: Any, name: str) -> None:
    check_healthy(player(kind), Loopbreak, name)


def test_an_error_in_the_guard_does_not_reach_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    check_fails_open(player(ChatAgent), Loopbreak(), monkeypatch)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"messages": None},
        {"messages": "hello"},
        {"input": "hello"},
        {"messages": [None, 3, "x", {"role": "tool"}, {"role": "tool", "content": [3, None]}]},
        {"messages": [{"role": "assistant", "tool_calls": [3]}, {"role": "tool", "tool_call_id": "a", "content": "x"}]},
        {"messages": [{"role": "user", "content": [{"type": "tool_result"}]}], "metadata": 7},
    ],
)
def test_requests_of_any_form_pass(data: Any) -> None:
    sent = copy.deepcopy(data)
    assert asyncio.run(Loopbreak().async_pre_call_hook(None, None, sent, "completion")) == data


@pytest.mark.parametrize("kind", APIS)
def test_parallel_calls_are_one_attempt(kind: Any) -> None:
    check_parallel(player(kind), Loopbreak(), can_refuse=False)


def test_conversations_do_not_mix() -> None:
    check_separate(player(ChatAgent), Loopbreak())


def test_a_message_of_the_user_ends_the_streak() -> None:
    guard, world = Loopbreak(), World()
    for _ in range(3):
        played = player(ChatAgent)([[LOOP]] * 6, guard, world, "talk")
        assert played.stopped is None
    assert len(world.calls) == 18


def test_the_advice_stays_where_it_was_given() -> None:
    """The same history gives the same text, which keeps the cache of the provider."""
    guard, agent = Loopbreak(), ChatAgent()
    agent.ask("go")
    seen: list[list[Any]] = []
    for number in range(7):
        data = {"messages": agent.messages}
        seen.append(list(asyncio.run(guard.async_pre_call_hook(None, None, data, "completion"))["messages"]))
        agent.answer([(call, "same") for call, _ in agent.call([LOOP], number)])
    for earlier, later in zip(seen, seen[1:]):
        assert later[: len(earlier)] == earlier


def test_texts_and_the_user_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    agent = ChatAgent()
    agent.ask("go")
    agent.messages.append({"role": "assistant", "content": [{"type": "text", "text": "I look"}]})
    agent.answer([(call, "x") for call, _ in agent.call([LOOP], 1)])
    asyncio.run(Loopbreak().async_pre_call_hook(None, None, {"messages": agent.messages}, "completion"))
    assert [(method, args[0]) for method, _, args, _ in seen] == [
        ("user", "go"),
        ("text", "I look"),
        ("before", "read_file"),
        ("after", "read_file"),
    ]


def test_requests_at_the_same_time_do_not_mix() -> None:
    guard = Loopbreak()

    async def run_all() -> list[Any]:
        agents = [ChatAgent() for _ in range(10)]
        for number, agent in enumerate(agents):
            agent.ask("go")
            for turn in range(1 if number else 20):
                agent.answer([(call, "same") for call, _ in agent.call([LOOP], turn)])
        hooks = [guard.async_pre_call_hook(None, None, {"messages": a.messages}, "completion") for a in agents]
        return list(await asyncio.gather(*hooks, return_exceptions=True))

    results = asyncio.run(run_all())
    assert isinstance(results[0], HTTPException)
    assert not any(isinstance(result, Exception) for result in results[1:])


def test_a_real_proxy_stops_a_loop(tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(
        textwrap.dedent(
            """
            model_list:
              - model_name: scripted
                litellm_params: {model: openai/scripted, api_key: none, mock_response: "go on"}
            litellm_settings:
              callbacks: loop_guard.guard
            """
        )
    )
    (tmp_path / "loop_guard.py").write_text("from loopbreak.litellm import guard\n")
    asyncio.run(proxy_server.initialize(config=str(config)))
    client, agent = TestClient(proxy_server.app), ChatAgent()
    agent.ask("go")
    answers = []
    for number in range(20):
        answers.append(client.post("/chat/completions", json={"model": "scripted", "messages": agent.messages}))
        if answers[-1].status_code != 200:
            break
        agent.answer([(call, "same") for call, _ in agent.call([LOOP], number)])
    assert answers[0].json()["choices"][0]["message"]["content"] == "go on"
    assert answers[-1].status_code == 400, answers[-1].text
    assert "Stopped by Loopbreak" in answers[-1].text
    assert len(answers) <= 16


def test_the_example_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    check_page("litellm", capsys)
