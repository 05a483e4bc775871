"""Guards AG2 agents: `Agent(…, middleware=[Loopbreak()])`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ag2.events import (
    CompactionCompleted,
    ModelRequest,
    ModelResponse,
    TextInput,
    ToolCallEvent,
    ToolErrorEvent,
    ToolNotFoundEvent,
    ToolResultEvent,
    ToolResultsEvent,
)
from ag2.middleware import BaseMiddleware

from loopbreak._adapter import AdapterRuns, as_text, note
from loopbreak._fail_open import fail_open
from loopbreak._turns import ModelTurns, token_usage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ag2 import Context
    from ag2.events import BaseEvent
    from ag2.middleware.base import AgentTurn, LLMCall, ToolExecution, ToolResultType

    from loopbreak import LoopStopped

__all__ = ["Loopbreak"]


class Loopbreak:
    """Guards the agents that have it as a middleware. Each stream, which is one conversation, is a run of its own.

    A stop raises `LoopStopped` out of `agent.ask`. `stopped` is the newest stop of any conversation.
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
        self._turns = ModelTurns()

    def __call__(self, event: BaseEvent, context: Context) -> BaseMiddleware:
        """Makes the middleware of one turn: AG2 throws it away at the end of the turn."""
        return _TurnGuard(self, event, context)

    @fail_open
    def see_user(self, event: BaseEvent, context: Context) -> None:
        """Records what starts a turn: a message, or the results of tools that ran elsewhere."""
        if isinstance(event, ModelRequest):
            said = "\n".join(part.content for part in event.parts if isinstance(part, TextInput))
            self.runs.run(context.stream.id).user(said)

    @fail_open
    def weigh(self, event: ToolCallEvent, context: Context) -> str | None:
        """Returns the text of a refusal."""
        run = self.runs.run(context.stream.id)
        ruling = run.before(event.name, event.arguments, batch=self._turns.batch(run.id))
        return None if ruling.accepted else ruling.text

    @fail_open
    def record(self, event: ToolCallEvent, context: Context, result: Any) -> None:
        """Records the result of a call, and adds the advice to it."""
        if not isinstance(result, ToolResultEvent):
            return  # the call is made by the program that talks to the agent
        failed = True if isinstance(result, ToolErrorEvent) else None
        outcome = "\n".join(_part_text(part) for part in result.result.parts)
        advice = self._after(event.name, event.arguments, context, outcome, failed)
        if advice and result.result.final:
            self._turns.hold(str(context.stream.id), advice)
        elif advice:
            result.result.parts.append(TextInput(note(advice)))

    @fail_open
    def record_error(self, event: ToolCallEvent, context: Context, error: Exception) -> None:
        """Records a call that another middleware has ended with an error."""
        advice = self._after(event.name, event.arguments, context, error, True)
        self._turns.hold(str(context.stream.id), advice)

    @fail_open
    def before_model(self, events: Sequence[BaseEvent], context: Context) -> str | None:
        """Returns the text that the model has to read. Raises the stop."""
        run, texts = self.runs.run(context.stream.id), []
        for name, args, error in _unknown_calls(events):
            ruling = run.before(name, args, batch=self._turns.batch(run.id))
            if ruling.accepted:
                self._turns.hold(run.id, self._after(name, args, context, error, True))
            else:
                texts.append(ruling.text)
        if (stopped := run.stopped) is not None:
            self.stopped = stopped
            raise stopped
        texts.append(self._turns.take_note(run.id))
        return "\n".join(text for text in texts if text)

    @fail_open
    def after_model(self, response: ModelResponse, context: Context) -> None:
        """Starts the batch of the calls in the message."""
        run = self.runs.run(context.stream.id)
        self._turns.begin(run.id, token_usage(response.usage, "prompt_tokens", "completion_tokens"))
        run.text(response.message.content if response.message else "")

    def _after(self, name: str, args: Any, context: Context, outcome: object, error: bool | None) -> list[Any]:
        run = self.runs.run(context.stream.id)
        usage, batch = self._turns.take_usage(run.id), self._turns.batch(run.id)
        return run.after(name, args, outcome, error, usage, batch=batch)


class _TurnGuard(BaseMiddleware):
    def __init__(self, guard: Loopbreak, event: BaseEvent, context: Context) -> None:
        super().__init__(event, context)
        self._guard = guard

    async def on_turn(self, call_next: AgentTurn, event: BaseEvent, context: Context) -> ModelResponse:
        self._guard.see_user(event, context)
        run = self._guard.runs.run(context.stream.id)

        async def see_compaction(event: CompactionCompleted) -> None:
            run.compacted()

        with context.stream.where(CompactionCompleted).sub_scope(see_compaction):
            return await call_next(event, context)

    async def on_llm_call(self, call_next: LLMCall, events: Sequence[BaseEvent], context: Context) -> ModelResponse:
        if text := self._guard.before_model(events, context):
            events = [*events, ModelRequest([TextInput(text)])]
        response = await call_next(events, context)
        self._guard.after_model(response, context)
        return response

    async def on_tool_execution(
        self, call_next: ToolExecution, event: ToolCallEvent, context: Context
    ) -> ToolResultType:
        if (refusal := self._guard.weigh(event, context)) is not None:
            return ToolResultEvent.from_call(event, refusal)
        try:
            result = await call_next(event, context)
        except Exception as error:
            self._guard.record_error(event, context, error)
            raise
        self._guard.record(event, context, result)
        return result


def _part_text(part: Any) -> str:
    content = getattr(part, "content", None)
    return content if isinstance(content, str) else as_text(getattr(part, "data", part))


def _unknown_calls(events: Sequence[BaseEvent]) -> list[tuple[str, str, str]]:
    """Returns name, arguments and error of the calls of the newest message that no tool answered."""
    missing: dict[str, str] = {}
    for event in reversed(events):
        if isinstance(event, ToolResultsEvent):
            found = [result for result in event.results if isinstance(result, ToolNotFoundEvent)]
            missing.update((result.parent_id, str(result.error)) for result in found)
        elif isinstance(event, ModelRequest):
            return []
        elif isinstance(event, ModelResponse):
            calls = event.tool_calls.calls if event.tool_calls else []
            return [(call.name, call.arguments, missing[call.id]) for call in calls if call.id in missing]
    return []
