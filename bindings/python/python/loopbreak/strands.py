"""Guards Strands agents: `Agent(…, hooks=[Loopbreak()])`."""

from __future__ import annotations

import uuid
import weakref
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from strands import hooks
from strands.agent.conversation_manager import SummarizingConversationManager
from strands.hooks import (
    AfterToolCallEvent,
    BeforeModelCallEvent,
    BeforeToolCallEvent,
    HookProvider,
    HookRegistry,
    MessageAddedEvent,
)

from loopbreak._adapter import AdapterRuns, SafeRun, as_text, note
from loopbreak._fail_open import fail_open
from loopbreak._turns import ModelTurns, token_usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from strands import Agent

    from loopbreak import LoopStopped

__all__ = ["Loopbreak"]

_MAX_CALLS = 4096
_ENDS_TURNS = hasattr(hooks, "AfterToolsEvent")


class Loopbreak(HookProvider):
    """Guards the agents that it is a hook of. Each session is a run of its own, or each agent that has no session.

    A stop ends the turn, and `result.state["loop_stopped"]` says why. `stopped` is the newest stop of any agent.
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
        self._ids: weakref.WeakKeyDictionary[Agent, str] = weakref.WeakKeyDictionary()
        self._spent: weakref.WeakKeyDictionary[Agent, tuple[int, int]] = weakref.WeakKeyDictionary()
        self._removed: weakref.WeakKeyDictionary[Agent, int] = weakref.WeakKeyDictionary()
        # Calls whose result is on its way to the model and recorded already.
        self._recorded: OrderedDict[tuple[str, str], None] = OrderedDict()

    def register_hooks(self, registry: HookRegistry, **kwargs: Any) -> None:
        registry.add_callback(MessageAddedEvent, self._see_message)
        registry.add_callback(BeforeModelCallEvent, self._before_model)
        registry.add_callback(BeforeToolCallEvent, self._before_tool)
        registry.add_callback(AfterToolCallEvent, self._after_tool)
        if _ENDS_TURNS:
            registry.add_callback(hooks.AfterToolsEvent, self._after_tools)

    def run_id(self, agent: Agent) -> str:
        """Returns the id of the run of this agent."""
        manager = getattr(agent, "_session_manager", None)
        known = getattr(agent, "session_id", None) or getattr(manager, "session_id", None)
        return str(known or self._ids.setdefault(agent, uuid.uuid4().hex))

    @fail_open
    def _see_message(self, event: MessageAddedEvent) -> None:
        agent, message = event.agent, event.message
        run, key = self._run(agent)
        said = "\n".join(block["text"] for block in message["content"] if "text" in block)
        if message["role"] == "assistant":
            self._turns.begin(key)
            run.text(said)
            return
        results = [block["toolResult"] for block in message["content"] if "toolResult" in block]
        if not results:
            run.user(said)
        for result in results:
            # A call with an invalid name gets an error from Strands, and no hook hears about it.
            if self._recorded.pop((run.id, result["toolUseId"]), self) is not self:
                continue
            for use in _calls(agent, result["toolUseId"]):
                self._turns.hold(key, self._record(agent, use, result))

    @fail_open
    def _before_model(self, event: BeforeModelCallEvent) -> None:
        agent = event.agent
        run, key = self._run(agent)
        manager = agent.conversation_manager
        if isinstance(manager, SummarizingConversationManager):
            if manager.removed_message_count > self._removed.get(agent, 0):
                run.compacted()
            self._removed[agent] = manager.removed_message_count
        if (stopped := run.stopped) is not None:
            if hasattr(event, "cancel"):
                event.cancel = self._end(stopped, event)
        elif agent.messages and (text := self._turns.take_note(key)):
            agent.messages[-1]["content"].append({"text": text})

    @fail_open
    def _before_tool(self, event: BeforeToolCallEvent) -> None:
        run, key = self._run(event.agent)
        use = event.tool_use
        ruling = run.before(use["name"], use["input"], batch=self._turns.batch(key))
        if not ruling.accepted:
            event.cancel_tool = ruling.text
            self._remember(run, use["toolUseId"])

    @fail_open
    def _after_tool(self, event: AfterToolCallEvent) -> None:
        agent, use = event.agent, event.tool_use
        run, _ = self._run(agent)
        # A refused call ends here too, with our own text as its result.
        if (run.id, use["toolUseId"]) not in self._recorded or event.cancel_message is None:
            denied = "policy" if event.cancel_message is not None else None
            if advice := self._record(agent, use, event.result, denied):
                event.result = {**event.result, "content": [*event.result["content"], {"text": note(advice)}]}
            self._remember(run, use["toolUseId"])
        if not _ENDS_TURNS and (stopped := run.stopped) is not None:
            self._end(stopped, event)
            event.invocation_state["request_state"]["stop_event_loop"] = True

    @fail_open
    def _after_tools(self, event: Any) -> None:
        run, _ = self._run(event.agent)
        if (stopped := run.stopped) is not None:
            event.end_turn = self._end(stopped, event)

    def _record(self, agent: Agent, use: Any, result: Any, denied: str | None = None) -> list[Any]:
        run, key = self._run(agent)
        parts = [block.get("text", as_text(block.get("json", block))) for block in result["content"]]
        error = True if result.get("status") == "error" else None
        batch, usage = self._turns.batch(key), self._new_usage(agent)
        name, args = use["name"], use["input"]
        return run.after(name, args, "\n".join(parts), error, usage, denied=denied, batch=batch)

    def _new_usage(self, agent: Agent) -> dict[str, int] | None:
        """Strands adds usage up: what was not yet passed on is the difference."""
        total = agent.event_loop_metrics.accumulated_usage
        spent = (total.get("inputTokens", 0), total.get("outputTokens", 0))
        known = self._spent.get(agent, (0, 0))
        self._spent[agent] = spent
        return token_usage({"in": spent[0] - known[0], "out": spent[1] - known[1]}, "in", "out")

    def _run(self, agent: Agent) -> tuple[SafeRun, tuple[str, str]]:
        run = self.runs.run(self.run_id(agent))
        return run, (run.id, agent.name)

    def _remember(self, run: SafeRun, call: str) -> None:
        self._recorded[(run.id, call)] = None
        while len(self._recorded) > _MAX_CALLS:
            self._recorded.popitem(last=False)

    def _end(self, stopped: LoopStopped, event: Any) -> str:
        self.stopped = stopped
        details = {name: getattr(stopped, name) for name in ("run", "pattern", "since", "loop_id", "reason")}
        event.invocation_state.setdefault("request_state", {})["loop_stopped"] = details
        return f"Stopped by Loopbreak: {stopped}"


def _calls(agent: Agent, call: str) -> list[Any]:
    """Returns the call with this id, from the message before its result."""
    blocks = agent.messages[-2]["content"] if len(agent.messages) > 1 else []
    return [block["toolUse"] for block in blocks if block.get("toolUse", {}).get("toolUseId") == call]
