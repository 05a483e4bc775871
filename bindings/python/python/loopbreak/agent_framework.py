"""Guards agents of the Microsoft Agent Framework: `Agent(…, middleware=Loopbreak().middleware)`."""

from __future__ import annotations

import uuid
from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, Any

from agent_framework import (
    AgentMiddleware,
    ChatMiddleware,
    ChatMiddlewareLayer,
    Content,
    FunctionMiddleware,
    Message,
)
from agent_framework.exceptions import MiddlewareException

from loopbreak._adapter import AdapterRuns, add_note, as_text, note
from loopbreak._fail_open import fail_open
from loopbreak._turns import ModelTurns, token_usage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from agent_framework import AgentContext, ChatContext, ChatResponse, FunctionInvocationContext

    from loopbreak import LoopStopped

__all__ = ["Loopbreak"]

_MARK = "loopbreak_run"
_MAX_TURNS = 1000
_TurnKey = tuple[str, str]


class Loopbreak:
    """Guards the agents that have its `middleware`. Each session is a run of its own, or each call of `run` without a session.

    A stop raises `LoopStopped` out of `agent.run`. `stopped` is the newest stop of any session.
    """

    def __init__(
        self,
        config: Any = None,
        store: Any = None,
        *,
        on_error: Callable[[BaseException], object] | None = None,
    ) -> None:
        self.runs = AdapterRuns(config, store, on_error)
        self.stopped: LoopStopped | None = None
        self.middleware: list[Any] = [_RunGuard(self), _CallGuard(self), _ModelGuard(self)]
        self._turns = ModelTurns()
        # Names of the calls of the newest message that failed and are recorded already.
        self._failed: OrderedDict[_TurnKey, Counter[str]] = OrderedDict()

    @fail_open
    def begin(self, context: AgentContext) -> None:
        """Starts a turn: the marks tell the other two parts of the middleware to which run a call belongs."""
        session = context.session.session_id if context.session is not None else uuid.uuid4().hex
        key = (str(session), context.agent.name or "agent")
        if isinstance(getattr(context.agent, "client", None), ChatMiddlewareLayer):
            context.client_kwargs = {**(context.client_kwargs or {}), _MARK: key}
        context.function_invocation_kwargs = {**(context.function_invocation_kwargs or {}), _MARK: key}
        run = self.runs.run(key[0])
        for message in context.messages:
            if message.role == "user" and message.text:
                run.user(message.text)

    @fail_open
    def weigh(self, key: _TurnKey, context: FunctionInvocationContext) -> str | None:
        """Returns the text of a refusal."""
        run, batch = self.runs.run(key[0]), self._turns.batch(key)
        ruling = run.before(context.function.name, context.arguments, batch=batch)
        return None if ruling.accepted else ruling.text

    @fail_open
    def record(self, key: _TurnKey, context: FunctionInvocationContext) -> None:
        """Records the result of a call, and adds the advice to it."""
        result = context.result
        if isinstance(result, Content) and result.type == "function_approval_request":
            return
        advice = self._after(key, context.function.name, context.arguments, _result_text(result), None)
        if advice and isinstance(result, list):
            context.result = [*result, Content.from_text(note(advice))]
        elif advice:
            context.result = add_note(as_text(result), advice)

    @fail_open
    def record_error(self, key: _TurnKey, name: str, args: Any, error: object) -> None:
        """Records a call that failed. The framework replaces the error by a text of its own, so the advice has to wait."""
        self._failed.setdefault(key, Counter())[name] += 1
        self._failed.move_to_end(key)
        while len(self._failed) > _MAX_TURNS:
            self._failed.popitem(last=False)
        self._turns.hold(key, self._after(key, name, args, error, True))

    def _after(self, key: _TurnKey, name: str, args: Any, outcome: object, error: bool | None) -> list[Any]:
        batch, usage = self._turns.batch(key), self._turns.take_usage(key)
        return self.runs.run(key[0]).after(name, args, outcome, error, usage, batch=batch)

    @fail_open
    def before_model(self, key: _TurnKey, context: ChatContext) -> None:
        """Records the calls that never reached a tool, and adds the advice that is still due. Raises the stop."""
        run, known = self.runs.run(key[0]), self._failed.pop(key, Counter())
        for name, args, error in _failed_calls(context.messages):
            if known[name] > 0:
                known[name] -= 1
                continue
            # An unknown tool, or in old versions invalid arguments: nothing has weighed it.
            ruling = run.before(name, args, batch=self._turns.batch(key))
            if ruling.accepted:
                self._turns.hold(key, self._after(key, name, args, error, True))
            else:
                context.messages = [*context.messages, Message(role="user", contents=[ruling.text])]
        if (stopped := run.stopped) is not None:
            self.stopped = stopped
            raise stopped
        if text := self._turns.take_note(key):
            context.messages = [*context.messages, Message(role="user", contents=[text])]

    @fail_open
    def after_model(self, key: _TurnKey, response: ChatResponse[Any]) -> None:
        """Starts the batch of the calls in the message."""
        usage = token_usage(response.usage_details or {}, "input_token_count", "output_token_count")
        self._turns.begin(key, usage)
        self.runs.run(key[0]).text(response.text)


class _RunGuard(AgentMiddleware):
    def __init__(self, guard: Loopbreak) -> None:
        self._guard = guard

    async def process(self, context: AgentContext, call_next: Callable[[], Awaitable[None]]) -> None:
        self._guard.begin(context)
        await call_next()


class _CallGuard(FunctionMiddleware):
    def __init__(self, guard: Loopbreak) -> None:
        self._guard = guard

    async def process(self, context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]) -> None:
        key = context.kwargs.get(_MARK) or ("default", "agent")
        if (refusal := self._guard.weigh(key, context)) is not None:
            context.result = refusal
            return
        try:
            await call_next()
        except MiddlewareException:  # somebody ends the run, or wants a human first
            raise
        except Exception as error:
            if type(error).__name__ != "UserInputRequiredException":
                self._guard.record_error(key, context.function.name, context.arguments, error)
            raise
        self._guard.record(key, context)


class _ModelGuard(ChatMiddleware):
    def __init__(self, guard: Loopbreak) -> None:
        self._guard = guard

    async def process(self, context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
        key = context.kwargs.pop(_MARK, None) or ("default", "agent")
        self._guard.before_model(key, context)
        if context.stream:
            context.stream_result_hooks.append(lambda response: self._guard.after_model(key, response))
            await call_next()
            return
        await call_next()
        if context.result is not None:
            self._guard.after_model(key, context.result)


def _result_text(result: Any) -> str:
    if isinstance(result, list):
        return "\n".join(item.text or as_text(item) if isinstance(item, Content) else as_text(item) for item in result)
    return as_text(result)


def _failed_calls(messages: Sequence[Message]) -> list[tuple[str, Any, str]]:
    """Returns name, arguments and error of the calls of the newest message that failed."""
    results: dict[str | None, str] = {}
    for message in reversed(messages):
        for content in message.contents:
            if content.type == "function_result" and content.exception is not None:
                results[content.call_id] = str(content.exception)
        calls = [content for content in message.contents if content.type == "function_call"]
        if calls or message.role == "user":
            return [(call.name or "", call.arguments, results[call.call_id]) for call in calls if call.call_id in results]
    return []
