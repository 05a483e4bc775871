"""Guards the agents of Google's Agent Development Kit: `Runner(…, plugins=[Loopbreak()])`."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from google.adk.models.llm_response import LlmResponse
from google.adk.plugins.base_plugin import BasePlugin
from google.genai import types

from loopbreak._adapter import AdapterRuns, SafeRun, note
from loopbreak._fail_open import fail_open
from loopbreak._turns import ModelTurns, token_usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.adk.agents.callback_context import CallbackContext
    from google.adk.agents.invocation_context import InvocationContext
    from google.adk.models.llm_request import LlmRequest
    from google.adk.sessions import Session
    from google.adk.tools.base_tool import BaseTool
    from google.adk.tools.tool_context import ToolContext

    from loopbreak import LoopStopped

__all__ = ["Loopbreak"]

_MAX_CALLS = 4096


class Loopbreak(BasePlugin):
    """Guards all agents of a runner. Each session is a run of its own.

    A stop ends the turn: the final event says why, and carries `custom_metadata["loop_stopped"]`. `stopped` is the newest
    stop of any session, `runs.run(plugin.run_id(session)).stopped` that of one.
    """

    def __init__(
        self,
        config: Any = None,
        store: Any = None,
        *,
        name: str = "loopbreak",
        on_error: Callable[[BaseException], object] | None = None,
    ) -> None:
        super().__init__(name=name)
        self.runs = AdapterRuns(config, store, on_error)
        self.stopped: LoopStopped | None = None
        self._turns = ModelTurns()
        # Calls that `before_tool_callback` has seen: true for those that are recorded already.
        self._calls: OrderedDict[tuple[str, str], bool] = OrderedDict()
        self._compactions: OrderedDict[str, float] = OrderedDict()

    @staticmethod
    def run_id(session: Session) -> str:
        """Returns the id of the run of this session."""
        return f"{session.app_name}/{session.user_id}/{session.id}"

    @fail_open
    async def on_user_message_callback(
        self, *, invocation_context: InvocationContext, user_message: types.Content
    ) -> types.Content | None:
        # A message may also be the result of a tool that runs long: nobody spoke.
        if text := _text(user_message):
            self.runs.run(self.run_id(invocation_context.session)).user(text)
        return None

    @fail_open
    async def before_model_callback(
        self, *, callback_context: CallbackContext, llm_request: LlmRequest
    ) -> LlmResponse | None:
        run = self._run(callback_context)
        self._see_compaction(run, callback_context.session)
        if (stopped := run.stopped) is not None:
            return self._end(stopped, callback_context)
        if text := self._turns.take_note((run.id, _branch(callback_context))):
            llm_request.contents.append(types.Content(role="user", parts=[types.Part(text=text)]))
        return None

    @fail_open
    async def after_model_callback(
        self, *, callback_context: CallbackContext, llm_response: LlmResponse
    ) -> LlmResponse | None:
        if llm_response.partial:
            return None
        run = self._run(callback_context)
        usage = token_usage(llm_response.usage_metadata, "prompt_token_count", "candidates_token_count")
        self._turns.begin((run.id, _branch(callback_context)), usage)
        run.text(_text(llm_response.content))
        return None

    @fail_open
    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any] | None:
        return self._weigh(tool.name, tool_args, tool_context)

    @fail_open
    async def after_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, result: Any
    ) -> dict[str, Any] | None:
        if self._calls.pop(self._call(tool_context), False):
            return None  # refused by us, or an error that `on_tool_error_callback` has recorded
        failed = isinstance(result, dict) and (
            bool(result.get("error")) or result.get("isError") is True or result.get("status") == "error"
        )
        outcome = result["result"] if isinstance(result, dict) and set(result) == {"result"} else result
        advice = self._record(tool.name, tool_args, tool_context, outcome, True if failed else None)
        if not advice:
            return None
        return {**(result if isinstance(result, dict) else {"result": result}), "loopbreak": note(advice)}

    @fail_open
    async def on_tool_error_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext, error: BaseException
    ) -> dict[str, Any] | None:
        call = self._call(tool_context)
        if not isinstance(error, Exception):
            self._calls.pop(call, None)  # cancelled: nothing came of it
            return None
        # Old versions report an unknown tool here and nowhere else.
        if call not in self._calls and (refusal := self._weigh(tool.name, tool_args, tool_context)):
            return refusal
        key = (self._run(tool_context).id, _branch(tool_context))
        self._turns.hold(key, self._record(tool.name, tool_args, tool_context, error, True))
        self._remember(call, is_recorded=True)
        return None

    def _weigh(self, name: str, args: dict[str, Any], context: ToolContext) -> dict[str, Any] | None:
        run, branch = self._run(context), _branch(context)
        ruling = run.before(name, args, agent=branch, batch=self._turns.batch((run.id, branch)))
        self._remember(self._call(context), is_recorded=not ruling.accepted)
        return None if ruling.accepted else {"error": ruling.text}

    def _record(self, name: str, args: Any, context: ToolContext, outcome: Any, error: bool | None) -> list[Any]:
        run, branch = self._run(context), _branch(context)
        key = (run.id, branch)
        usage, batch = self._turns.take_usage(key), self._turns.batch(key)
        return run.after(name, args, outcome, error, usage, agent=branch, batch=batch)

    def _run(self, context: CallbackContext) -> SafeRun:
        return self.runs.run(self.run_id(context.session))

    def _call(self, context: ToolContext) -> tuple[str, str]:
        return (self.run_id(context.session), str(context.function_call_id or id(context)))

    def _remember(self, call: tuple[str, str], *, is_recorded: bool) -> None:
        self._calls[call] = is_recorded
        while len(self._calls) > _MAX_CALLS:
            self._calls.popitem(last=False)

    def _see_compaction(self, run: SafeRun, session: Session) -> None:
        """ADK replaces old events by a summary, which it stores as an event near the end of the session."""
        stamps = [event.timestamp for event in session.events[-20:] if event.actions and event.actions.compaction]
        if stamps and stamps[-1] > self._compactions.get(run.id, 0.0):
            self._compactions[run.id] = stamps[-1]
            while len(self._compactions) > _MAX_CALLS:
                self._compactions.popitem(last=False)
            run.compacted()

    def _end(self, stopped: LoopStopped, context: CallbackContext) -> LlmResponse:
        self.stopped = stopped
        # Without this, a LoopAgent would start its agents again and again.
        context._event_actions.escalate = True
        details = {name: getattr(stopped, name) for name in ("run", "pattern", "since", "loop_id", "reason")}
        return LlmResponse(
            content=types.Content(role="model", parts=[types.Part(text=f"Stopped by Loopbreak: {stopped}")]),
            custom_metadata={"loop_stopped": details},
        )


def _branch(context: CallbackContext) -> str | None:
    """Agents that work side by side have a branch each. Those that hand over to each other are one agent to the guard."""
    branch: str | None = context._invocation_context.branch
    return branch


def _text(content: types.Content | None) -> str:
    """Returns what was said, without thoughts, calls and results."""
    parts = content.parts if content is not None and content.parts else []
    return "\n".join(part.text for part in parts if part.text and not part.thought)
