from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("agent_framework")

import loopbreak
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
from loopbreak.agent_framework import Loopbreak

from agent_framework import (
    Agent,
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
    tool,
)


class ScriptedClient(FunctionInvocationLayer, ChatMiddlewareLayer, BaseChatClient):  # type: ignore[misc]
    def __init__(self, turns: Any) -> None:
        super().__init__(function_invocation_configuration={"max_consecutive_errors_per_request": 1000})
        self.turns, self.requests, self.position = turns, [], 0

    def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **kwargs: Any) -> Any:
        assert not kwargs, kwargs

        async def respond() -> ChatResponse:
            self.requests.append("\n".join(str(message.to_dict()) for message in messages))
            calls = turn_at(self.turns, self.position)
            self.position += 1
            contents = [
                Content.from_function_call(call_id=f"c{self.position}-{n}", name=name, arguments=args)
                for n, (name, args) in enumerate(calls)
            ] or [Content.from_text("done")]
            usage = {"input_token_count": 100, "output_token_count": 7}
            return ChatResponse(messages=Message(role="assistant", contents=contents), usage_details=usage)

        if not stream:
            return respond()

        async def updates() -> Any:
            response = await respond()
            for message in response.messages:
                yield ChatResponseUpdate(role="assistant", contents=message.contents)
            yield ChatResponseUpdate(role="assistant", contents=[Content.from_usage(response.usage_details)])

        return ResponseStream(updates(), finalizer=ChatResponse.from_updates)


SESSIONS: dict[tuple[int, str], Any] = {}


async def play_async(turns: Any, guard: Loopbreak, world: World, session: str, *, stream: bool = False) -> Played:
    client = ScriptedClient(turns)
    tools = [tool(getattr(world, name), approval_mode="never_require") for name in TOOLS]
    agent = Agent(client=client, tools=tools, middleware=guard.middleware, name="worker")
    known = SESSIONS.setdefault((id(guard), session), agent.create_session())
    try:
        if stream:
            reply = agent.run("go", session=known, stream=True)
            async for _ in reply:
                pass
            answer = (await reply.get_final_response()).text
        else:
            answer = (await agent.run("go", session=known)).text
    except loopbreak.LoopStopped as stopped:
        assert guard.stopped is not None
        return Played(client.requests, stopped)
    assert guard.runs.run(known.session_id).stopped is None
    return Played(client.requests, None, answer)


def play(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    return asyncio.run(play_async(turns, guard, world, session))


def play_stream(turns: Any, guard: Loopbreak, world: World, session: str) -> Played:
    return asyncio.run(play_async(turns, guard, world, session, stream=True))


@pytest.mark.parametrize("how", [play, play_stream])
def test_a_loop_is_advised_refused_and_stopped(how: Any) -> None:
    check_loop(how, Loopbreak())


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_agent_is_left_alone(name: str) -> None:
    check_healthy(play, Loopbreak, name)


@pytest.mark.parametrize("how", [play, play_stream])
def test_an_error_in_the_guard_does_not_reach_the_agent(how: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    check_fails_open(how, Loopbreak(), monkeypatch)


def test_an_error_in_the_adapter_does_not_reach_the_agent() -> None:
    errors: list[BaseException] = []
    guard = Loopbreak(on_error=errors.append)
    guard._turns = None  # type: ignore[assignment]
    world = World()
    played = play([[LOOP]] * 3, guard, world, "broken")
    assert len(world.calls) == 3 and played.answer == "done"
    assert errors


@pytest.mark.parametrize("how", [play, play_stream])
def test_parallel_calls_are_one_attempt(how: Any) -> None:
    check_parallel(how, Loopbreak())


def test_sessions_do_not_mix() -> None:
    check_separate(play, Loopbreak())


def test_runs_without_a_session_do_not_mix() -> None:
    guard, worlds = Loopbreak(), [World() for _ in range(6)]

    async def run(world: World) -> str:
        tools = [tool(world.read_file, approval_mode="never_require")]
        return (await Agent(client=ScriptedClient([[LOOP]] * 2), tools=tools, middleware=guard.middleware).run("go")).text

    async def run_all() -> list[str]:
        return list(await asyncio.gather(*(run(world) for world in worlds)))

    assert asyncio.run(run_all()) == ["done"] * 6
    assert [len(world.calls) for world in worlds] == [2] * 6
    assert guard.stopped is None


def test_a_message_of_the_user_ends_the_streak() -> None:
    check_user_frees(play, Loopbreak())


@pytest.mark.parametrize("how", [play, play_stream])
def test_an_unknown_tool_is_a_loop_too(how: Any) -> None:
    check_unknown_tool(how, Loopbreak())


def test_invalid_arguments_are_a_loop_too() -> None:
    played = play([[("read_file", {"path": [1]})]] * 30, Loopbreak(), World(), "invalid")
    assert any("[loopbreak]" in text for text in played.requests[:6])
    assert played.stopped is not None


def test_a_failing_tool_is_recorded_once_and_advised(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    played = play([[("break_down", {"part": "x"})]] * 5, Loopbreak(), World(), "failing")
    outcomes = [args[3] for method, _, args, _ in seen if method == "after"]
    assert outcomes == [True] * 5
    assert any("[loopbreak]" in text for text in played.requests[:5])


@pytest.mark.parametrize("how", [play, play_stream])
def test_usage_texts_and_the_user_are_passed_on(how: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = watch_runs(monkeypatch)
    how([[LOOP, ("list_items", {"page": 1})], [LOOP]], Loopbreak(), World(), "usage")
    message = {"input_tokens": 100, "output_tokens": 7}
    assert sorted(map(str, usage_of(seen))) == sorted(map(str, [message, None, message]))
    assert [args for method, _, args, _ in seen if method == "user"] == [("go",)]
    assert ("done",) in [args for method, _, args, _ in seen if method == "text"]
    batches = [named["batch"] for method, _, _, named in seen if method == "after"]
    assert batches[0] == batches[1] != batches[2]


def test_a_cancelled_task_leaves_the_guard_usable() -> None:
    guard = Loopbreak()

    async def cancel() -> None:
        world = World()

        async def read_file(path: str) -> str:
            """Hangs."""
            await asyncio.sleep(60)
            return path

        world.read_file = read_file  # type: ignore[method-assign, assignment]
        task = asyncio.create_task(play_async([[LOOP]], guard, world, "hangs"))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    check_loop(play, guard)


def test_the_example_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    check_page("agent_framework", capsys)
