"""Guards the agents of Inspect AI: `Task(…, solver=react(…, on_continue=guard.on_continue()), approval=guard.approval)`."""

from __future__ import annotations

import uuid
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from inspect_ai.approval import Approval, ApprovalPolicy, Approver, approver
from inspect_ai.log import transcript
from inspect_ai.model import ChatMessageAssistant, ChatMessageTool, ChatMessageUser
from inspect_ai.util import store

from loopbreak._adapter import AdapterRuns, SafeRun
from loopbreak._fail_open import fail_open
from loopbreak._turns import ModelTurns, token_usage

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from inspect_ai.agent import AgentState
    from inspect_ai.model import ChatMessage
    from inspect_ai.tool import ToolCall, ToolCallView

    from loopbreak import LoopStopped

__all__ = ["Loopbreak"]

_MAX_SEEN = 100_000
_RUN = "loopbreak:run"


class Loopbreak:
    """Guards the agents of all samples. Each epoch of a sample is a run of its own.

    A stop ends the sample with the limit "operator", and its transcript says why. `stopped` is the newest stop of any sample.
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
        self.approval: list[ApprovalPolicy] = [ApprovalPolicy(_loopbreak_approver(self), "*")]
        self._turns = ModelTurns()
        # Messages that were seen, and calls that were refused, with the ids that Inspect gives to them.
        self._seen: OrderedDict[str, None] = OrderedDict()
        self._refused: OrderedDict[str, None] = OrderedDict()

    def run_id(self) -> str:
        """Returns the id of the run of the current sample. It is kept in the store of the sample."""
        known = store().get(_RUN)
        if known is None:
            known = uuid.uuid4().hex
            store().set(_RUN, known)
        return str(known)

    def on_continue(self, submit: bool = True) -> Callable[[AgentState], Awaitable[bool]]:
        """Returns the function for `react(on_continue=…)`. Say `submit=False` if the agent has no tool to submit with."""

        async def on_continue(state: AgentState) -> bool:
            idle = not state.output.message.tool_calls if state.output.choices else True
            return False if self._has_to_end(state) else submit or not idle

        return on_continue

    @fail_open
    def weigh(self, call: ToolCall, history: Sequence[ChatMessage]) -> Approval | None:
        """Returns the refusal of a call, or `None`."""
        run = self._see(history)
        batch = next((one.id for one in reversed(history) if isinstance(one, ChatMessageAssistant)), None)
        ruling = run.before(call.function, call.arguments, batch=batch)
        if ruling.accepted:
            return None
        _add(self._refused, call.id)
        if (stopped := run.stopped) is not None:
            self._end(stopped)
            return Approval(decision="terminate", explanation=ruling.text)
        return Approval(decision="reject", explanation=ruling.text)

    @fail_open
    def _has_to_end(self, state: AgentState) -> bool:
        run = self.runs.run(self.run_id())
        mark = f"usage of {state.output.message.id}" if state.output.choices else ""
        if mark and mark not in self._seen:
            _add(self._seen, mark)
            if usage := token_usage(state.output.usage, "input_tokens", "output_tokens"):
                self._turns.add_usage(run.id, usage)
        self._see(state.messages)
        if (stopped := run.stopped) is not None:
            self._end(stopped)
            return True
        if text := self._turns.take_note(run.id):
            # Not the return value: old versions take the braces in it for fields of a template.
            state.messages.append(ChatMessageUser(content=text))
        return False

    def _see(self, history: Sequence[ChatMessage]) -> SafeRun:
        """Records the messages that are new: outcomes are nowhere else."""
        run = self.runs.run(self.run_id())
        calls: dict[str, tuple[ToolCall, str | None]] = {}
        for message in history:
            if isinstance(message, ChatMessageAssistant):
                calls.update((call.id, (call, message.id)) for call in message.tool_calls or [])
            if message.id is None or message.id in self._seen:
                continue
            _add(self._seen, message.id)
            if isinstance(message, ChatMessageAssistant):
                run.text(message.text)
            elif isinstance(message, ChatMessageTool):
                self._see_result(run, message, *calls.get(message.tool_call_id or "", (None, None)))
            elif isinstance(message, ChatMessageUser) and message.source in ("input", "operator"):
                run.user(message.text)
            elif isinstance(message, ChatMessageUser):
                run.continued()  # the agent's own words: "please go on"
        return run

    def _see_result(self, run: SafeRun, message: ChatMessageTool, call: ToolCall | None, batch: str | None) -> None:
        if call is None or self._refused.pop(call.id, self) is not self:
            return
        outcome = message.error.message if message.error is not None else message.text
        denied = "policy" if message.error is not None and message.error.type == "approval" else None
        if message.error is not None and message.error.type == "parsing":
            # The approver was not asked about this call: an unknown tool, or wrong arguments.
            ruling = run.before(call.function, call.arguments, batch=batch)
            if not ruling.accepted:
                self._turns.hold(run.id, [ruling.text])
                return
        error = True if message.error is not None else None
        usage = self._turns.take_usage(run.id)
        advice = run.after(call.function, call.arguments, outcome, error, usage, denied=denied, batch=batch)
        self._turns.hold(run.id, advice)

    def _end(self, stopped: LoopStopped) -> None:
        self.stopped = stopped
        details = {name: getattr(stopped, name) for name in ("run", "pattern", "since", "loop_id", "reason")}
        transcript().info({"loop_stopped": details}, source="loopbreak")


@approver(name="loopbreak")
def _loopbreak_approver(guard: Any) -> Approver:
    async def approve(message: str, call: ToolCall, view: ToolCallView, history: list[ChatMessage]) -> Approval:
        return guard.weigh(call, history) or Approval(decision="approve")

    return approve


def _add(known: OrderedDict[str, None], key: str) -> None:
    known[key] = None
    while len(known) > _MAX_SEEN:
        known.popitem(last=False)
