"""Guards agents of PydanticAI: `Agent(model, capabilities=[Loopbreak()])`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic_ai import RunContext, ToolReturn
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from loopbreak import LoopStopped
from loopbreak._adapter import PREFIX, AdapterRuns, SafeRun, add_note, as_text, note

if TYPE_CHECKING:
    from loopbreak import Advice

__all__ = ["Loopbreak"]

_CONTROL = {"CallDeferred", "ApprovalRequired", "SkipToolExecution"}
"""Exceptions by which a tool says what happens next with its call, which has not failed."""


@dataclass
class Loopbreak(AbstractCapability[Any]):
    """Capability that advises a looping agent, refuses its calls, and ends the run with `LoopStopped`.

    A run is a conversation (`conversation_id`), or one run of the agent where there is none.
    """

    config: Any = None
    store: Any = None
    run_id: str | None = None
    on_error: Callable[[BaseException], object] | None = None
    runs: AdapterRuns | None = field(default=None, repr=False)
    _run: SafeRun | None = field(default=None, init=False, repr=False)
    _turn: int = field(default=0, init=False, repr=False)
    _length: int = field(default=0, init=False, repr=False)
    _open: dict[str, ToolCallPart] = field(default_factory=dict, init=False, repr=False)
    _notes: list[str] = field(default_factory=list, init=False, repr=False)

    def __post_init__(self) -> None:
        self.runs = self.runs or AdapterRuns(self.config, self.store, self.on_error)

    def stopped(self, run_id: str) -> LoopStopped | None:
        """Returns the reason why the run with this id has to end, or `None`."""
        return self._guards.run(run_id).stopped

    @property
    def _guards(self) -> AdapterRuns:
        assert self.runs is not None
        return self.runs

    async def for_run(self, ctx: RunContext[Any]) -> Loopbreak:
        """Returns a copy for this run: concurrent runs share the guards and nothing else."""
        copy = dataclasses.replace(self)
        copy._run = self._run_of(ctx)
        return copy

    async def before_model_request(self, ctx: RunContext[Any], request_context: Any) -> Any:
        if (run := self._run or self._run_of(ctx)) is not None:
            self._guards.guarded(lambda: self._catch_up(run, ctx, request_context.messages), None)
            run.raise_if_stopped()
        return request_context

    async def after_model_request(
        self, ctx: RunContext[Any], *, request_context: Any, response: ModelResponse
    ) -> ModelResponse:
        if (run := self._run or self._run_of(ctx)) is not None:
            self._guards.guarded(lambda: self._listen(run, response), None)
        return response

    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: Any, args: Any, handler: Any
    ) -> Any:
        run = self._run or self._run_of(ctx)
        labels: dict[str, Any] | None = self._guards.guarded(lambda: self._labels(ctx, call), None)
        if run is None or labels is None:
            return await handler(args)
        self._open.pop(call.tool_call_id, None)
        ruling = run.before(call.tool_name, call.args, **labels)
        if not ruling.accepted:
            return ruling.text
        try:
            result = await handler(args)
        except Exception as error:
            if type(error).__name__ not in _CONTROL:
                self._hold(run.after(call.tool_name, call.args, _reason(error), True, **labels))
            raise
        outcome = result.return_value if isinstance(result, ToolReturn) else result
        advice = run.after(call.tool_name, call.args, outcome, False, **labels)
        if isinstance(result, str):
            return add_note(result, advice)
        self._hold(advice)
        return result

    def _run_of(self, ctx: RunContext[Any]) -> SafeRun | None:
        return self._guards.guarded(lambda: self._find_run(ctx), None)

    def _find_run(self, ctx: RunContext[Any]) -> SafeRun:
        conversation = getattr(ctx, "conversation_id", None)
        return self._guards.run(self.run_id or conversation or ctx.run_id or "main")

    def _labels(self, ctx: RunContext[Any], call: ToolCallPart) -> dict[str, Any]:
        agent = getattr(ctx, "agent", None)
        batch = f"{ctx.run_id}:{self._turn}"
        return {"agent": agent and agent.name, "batch": batch, "call_id": call.tool_call_id}

    def _hold(self, advice: Sequence[Advice]) -> None:
        """Keeps advice that does not fit into the result: it goes into the next request."""
        if text := note(advice):
            self._notes.append(text)

    def _listen(self, run: SafeRun, response: ModelResponse) -> None:
        """Records what the model said and used, and notes its calls."""
        self._turn += 1
        usage = response.usage
        run.usage({"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens})
        calls = (part for part in response.parts if isinstance(part, ToolCallPart))
        self._open = {call.tool_call_id: call for call in calls}
        if not self._open:
            # Words beside a call may repeat while the results move on.
            run.text("\n".join(part.content for part in response.parts if isinstance(part, TextPart)))

    def _catch_up(self, run: SafeRun, ctx: RunContext[Any], messages: Sequence[Any]) -> None:
        """Records messages of the user and calls that were not run, and adds advice to the request."""
        if len(messages) < self._length:
            run.compacted()
        self._length = len(messages)
        last = messages[-1] if messages else None
        if not isinstance(last, ModelRequest):
            return
        answers = [part for part in last.parts if isinstance(part, (RetryPromptPart, ToolReturnPart))]
        said = [part.content for part in last.parts if isinstance(part, UserPromptPart)]
        if said and not answers:
            # Next to results of tools, such a part is a picture or a file of a tool.
            run.user("\n".join(as_text(part) for part in said))
        for answer in answers:
            if (call := self._open.pop(answer.tool_call_id, None)) is None:
                continue
            labels = self._labels(ctx, call)
            ruling = run.before(call.tool_name, call.args, **labels)
            if ruling.accepted:
                failed = isinstance(answer, RetryPromptPart) or _has_failed(answer)
                self._hold(run.after(call.tool_name, call.args, answer.content, failed, **labels))
            else:
                self._notes.append(PREFIX + ruling.text)
        self._open.clear()
        if self._notes:
            last.parts = [*last.parts, *(UserPromptPart(text) for text in self._notes)]
            self._notes = []


def _has_failed(answer: ToolReturnPart) -> bool:
    return getattr(answer, "outcome", "success") in ("failed", "retried")


def _reason(error: Exception) -> object:
    """Returns what the model reads about an error of a tool."""
    part = getattr(error, "tool_retry", None) or getattr(error, "tool_failed", None)
    return error if part is None else getattr(part, "content", error)
