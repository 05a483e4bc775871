"""Guards AutoGen agents: `guard.protect(agent)` for their tools, `guard.condition` for their team."""

from __future__ import annotations

import asyncio
import uuid
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, TypeVar

from autogen_agentchat.base import Response, TerminationCondition
from autogen_agentchat.messages import (
    BaseChatMessage,
    StopMessage,
    TextMessage,
    ToolCallExecutionEvent,
    ToolCallRequestEvent,
)
from autogen_core.models import UserMessage
from autogen_core.tools import TextResultContent, ToolResult

from loopbreak._adapter import AdapterRuns, SafeRun, note
from loopbreak._fail_open import fail_open
from loopbreak._turns import ModelTurns, token_usage

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping, Sequence

    from autogen_core import CancellationToken
    from autogen_core.tools import Workbench

    from loopbreak import LoopStopped

__all__ = ["Loopbreak"]

_MAX_SEEN = 4096
_Agent = TypeVar("_Agent")
_Workbench = TypeVar("_Workbench", bound="Workbench")


class Loopbreak:
    """Guards one conversation: an agent, or the agents of a team. AutoGen has no ids of sessions, so make one for each.

    A stop ends the turn of a protected agent with a `StopMessage`, and the team that has `condition`. Then `stopped` is set.
    """

    def __init__(
        self,
        config: Any = None,
        store: Any = None,
        *,
        run: str | None = None,
        on_error: Callable[[BaseException], object] | None = None,
    ) -> None:
        self.runs = AdapterRuns(config, store, on_error)
        self.run: SafeRun = self.runs.run(run or uuid.uuid4().hex)
        self.condition: TerminationCondition = _LoopCondition(self)
        self._turns = ModelTurns()
        self._running = 0
        # Messages that were seen, calls whose outcome is recorded, and calls whose outcome is still to come.
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._recorded: OrderedDict[str, None] = OrderedDict()
        self._asked: OrderedDict[str, tuple[str, str]] = OrderedDict()

    @property
    def stopped(self) -> LoopStopped | None:
        """The reason why the conversation has to end, or `None`."""
        return self.run.stopped

    def protect(self, agent: _Agent) -> _Agent:
        """Guards an agent and its tools, and returns the same agent."""
        original = agent.on_messages_stream  # type: ignore[attr-defined]
        for workbench in getattr(agent, "_workbench", None) or []:
            self.workbench(workbench)

        async def on_messages_stream(
            messages: Sequence[BaseChatMessage], cancellation_token: CancellationToken
        ) -> AsyncGenerator[Any, None]:
            for message in messages:
                self.see(message)
            shown: list[Any] = []
            async for event in original(messages, cancellation_token):
                self.see(event.chat_message if isinstance(event, Response) else event)
                yield event
                shown.append(event)
                if not isinstance(event, ToolCallExecutionEvent):
                    continue
                if (stopped := self.stopped) is not None:
                    yield Response(chat_message=self.stop_message(stopped, agent.name), inner_messages=shown)  # type: ignore[attr-defined]
                    return
                if text := self._turns.take_note(self.run.id):
                    await self._tell(agent, text)

        agent.on_messages_stream = on_messages_stream  # type: ignore[attr-defined]
        return agent

    def workbench(self, workbench: _Workbench) -> _Workbench:
        """Guards the tools of a workbench, and returns the same workbench."""
        call_tool, stream = workbench.call_tool, getattr(workbench, "call_tool_stream", None)

        async def guarded_call(
            name: str,
            arguments: Mapping[str, Any] | None = None,
            cancellation_token: CancellationToken | None = None,
            call_id: str | None = None,
        ) -> ToolResult:
            async def call() -> AsyncGenerator[Any, None]:
                yield await call_tool(name, arguments, cancellation_token, call_id)

            return [result async for result in self._guarded(name, arguments, call_id, call())][-1]

        def guarded_stream(
            name: str,
            arguments: Mapping[str, Any] | None = None,
            cancellation_token: CancellationToken | None = None,
            call_id: str | None = None,
        ) -> AsyncGenerator[Any, None]:
            assert stream is not None
            return self._guarded(name, arguments, call_id, stream(name, arguments, cancellation_token, call_id))

        workbench.call_tool = guarded_call
        if stream is not None:
            workbench.call_tool_stream = guarded_stream
        return workbench

    async def _guarded(
        self, name: str, args: Any, call: str | None, results: AsyncGenerator[Any, None]
    ) -> AsyncGenerator[Any, None]:
        # The calls of one message start one after the other. Let all of them start before the first one runs.
        if self._running == 0:
            self._turns.begin(self.run.id)
        self._running += 1
        try:
            await asyncio.sleep(0)
            if (refusal := self._weigh(name, args, call)) is not None:
                await results.aclose()
                yield ToolResult(name=name, result=[TextResultContent(content=refusal)], is_error=True)
                return
            async for result in results:
                yield self._record(name, args, call, result) or result if isinstance(result, ToolResult) else result
        finally:
            self._running -= 1

    @fail_open
    def _weigh(self, name: str, args: Any, call: str | None) -> str | None:
        ruling = self.run.before(name, args, batch=self._turns.batch(self.run.id))
        if ruling.accepted:
            return None
        _add(self._recorded, call or "", None)
        return ruling.text

    @fail_open
    def _record(self, name: str, args: Any, call: str | None, result: ToolResult) -> ToolResult:
        _add(self._recorded, call or "", None)
        advice = self._after(name, args, result.to_text(replace_image="[image]"), True if result.is_error else None)
        if not advice:
            return result
        return result.model_copy(update={"result": [*result.result, TextResultContent(content=note(advice))]})

    def _after(self, name: str, args: Any, outcome: str, error: bool | None) -> list[Any]:
        usage, batch = self._turns.take_usage(self.run.id), self._turns.batch(self.run.id)
        return self.run.after(name, args, outcome, error, usage, batch=batch)

    @fail_open
    def see(self, message: Any) -> None:
        """Records a message of the conversation, once: texts, usage, and calls that no workbench has seen."""
        if getattr(message, "id", None) in self._seen:
            return
        _add(self._seen, getattr(message, "id", ""), None)
        if usage := token_usage(getattr(message, "models_usage", None), "prompt_tokens", "completion_tokens"):
            self._turns.add_usage(self.run.id, usage)
        if isinstance(message, ToolCallRequestEvent):
            for call in message.content:
                _add(self._asked, call.id, (call.name, call.arguments))
        elif isinstance(message, ToolCallExecutionEvent):
            for result in message.content:
                name, args = self._asked.pop(result.call_id, (result.name, "{}"))
                if self._recorded.pop(result.call_id, self) is self:
                    self._see_result(name, args, str(result.content), True if result.is_error else None)
        elif isinstance(message, StopMessage):
            return
        elif isinstance(message, TextMessage) and message.source == "user":
            self.run.user(message.content)
        elif isinstance(message, TextMessage):
            self.run.text(message.content)

    def _see_result(self, name: str, args: str, outcome: str, error: bool | None) -> None:
        """Records a call that no guarded tool has run: an unknown tool, arguments that are no JSON, a handoff."""
        ruling = self.run.before(name, args)
        if ruling.accepted:
            self._turns.hold(self.run.id, self._after(name, args, outcome, error))
        else:
            self._turns.hold(self.run.id, [ruling.text])

    @fail_open
    async def _tell(self, agent: Any, text: str) -> None:
        await agent.model_context.add_message(UserMessage(content=text, source="loopbreak"))

    def stop_message(self, stopped: LoopStopped, source: str) -> StopMessage:
        """Returns the message that ends the conversation."""
        return StopMessage(content=f"Stopped by Loopbreak: {stopped}", source=source)


class _LoopCondition(TerminationCondition):
    """Ends a team whose conversation has to end. It can be combined with other conditions by `|` and `&`."""

    def __init__(self, guard: Loopbreak) -> None:
        self._guard = guard
        self._is_terminated = False

    @property
    def terminated(self) -> bool:
        return self._is_terminated

    async def __call__(self, messages: Sequence[Any]) -> StopMessage | None:
        for message in messages:
            self._guard.see(message)
        if (stopped := self._guard.stopped) is None:
            return None
        self._is_terminated = True
        return self._guard.stop_message(stopped, "loopbreak")

    async def reset(self) -> None:
        self._is_terminated = False


def _add(known: OrderedDict[str, Any], key: str, value: Any) -> None:
    known[key] = value
    while len(known) > _MAX_SEEN:
        known.popitem(last=False)
