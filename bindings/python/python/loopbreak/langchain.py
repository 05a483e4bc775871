"""Guards agents of LangChain and graphs of LangGraph.

With `create_agent`, add `Loopbreak()` as the first middleware. With a graph of your own, give its methods to the `ToolNode`:
`ToolNode(tools, wrap_tool_call=guard.wrap_tool_call, awrap_tool_call=guard.awrap_tool_call)`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal
from uuid import uuid4

from langchain.agents.middleware import AgentMiddleware, AgentState, hook_config
from langchain.agents.middleware.types import OmitFromInput, PrivateStateAttr
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp
from langgraph.types import Command
from typing_extensions import NotRequired

from loopbreak import LoopStopped
from loopbreak import _langchain_messages as read
from loopbreak._adapter import AdapterRuns, SafeRun, stop_as

if TYPE_CHECKING:
    from langchain_core.messages import AnyMessage
    from langgraph.prebuilt.tool_node import ToolCallRequest

__all__ = ["Loopbreak", "LoopbreakState"]

_KEPT = 1000


class LoopbreakState(AgentState[Any]):
    """The keys that the middleware adds to the state of the agent."""

    loopbreak_run: NotRequired[Annotated[str, PrivateStateAttr]]  # type: ignore[valid-type]
    loopbreak_stopped: NotRequired[Annotated[dict[str, Any] | None, OmitFromInput]]  # type: ignore[valid-type]


class _GraphStopped(LoopStopped, GraphBubbleUp):
    """`LoopStopped` out of a `ToolNode`, which would make an answer for the model of any other exception."""


class Loopbreak(AgentMiddleware):  # type: ignore[type-arg]  # two parameters before LangChain 1.3, three since
    """Middleware that advises a looping agent, refuses its calls, and ends the run.

    A run is a thread (`thread_id`), or one invocation of an agent without threads. `on_stop="end"` ends the agent with a last
    message and `loopbreak_stopped` in its state in place of raising `LoopStopped`.
    """

    state_schema = LoopbreakState  # type: ignore[assignment]
    tools: Sequence[Any] = ()

    def __init__(
        self,
        config: Any = None,
        *,
        store: Any = None,
        run_id: str | None = None,
        on_stop: Literal["raise", "end"] = "raise",
        on_error: Callable[[BaseException], object] | None = None,
        runs: AdapterRuns | None = None,
    ) -> None:
        if on_stop not in ("raise", "end"):
            raise ValueError(f'invalid on_stop: {on_stop!r}. Use "raise" or "end".')
        self.runs = runs or AdapterRuns(config, store, on_error)
        self._run_id, self._on_stop = run_id, on_stop
        # The calls of each message of the model that were seen, and the messages that are no news.
        self._turns: OrderedDict[tuple[str, str], set[str]] = OrderedDict()
        self._known: OrderedDict[str, None] = OrderedDict()

    def stopped(self, run_id: str) -> LoopStopped | None:
        """Returns the reason why the run with this id (the `thread_id`) has to end, or `None`."""
        return self.runs.run(run_id).stopped

    def wrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]
    ) -> ToolMessage | Command[Any]:
        call = self._guarded_call(request)
        if call is None:
            return handler(request)
        if (refusal := call.refusal()) is not None:
            return refusal
        try:
            return call.finish(handler(request))
        except Exception as error:
            call.fail(error)
            raise

    async def awrap_tool_call(
        self,
        request: ToolCallRequest,
        handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]],
    ) -> ToolMessage | Command[Any]:
        call = self._guarded_call(request)
        if call is None:
            return await handler(request)
        if (refusal := call.refusal()) is not None:
            return refusal
        try:
            return call.finish(await handler(request))
        except Exception as error:
            call.fail(error)
            raise

    def before_agent(self, state: LoopbreakState, runtime: Any) -> dict[str, Any] | None:
        config = _config()
        found = self.runs.guarded(lambda: self._find_run(state, config), None)
        run = self.runs.run(found or str(uuid4()))
        self.runs.guarded(lambda: self._hear(run, state["messages"], config), None)
        return {"loopbreak_run": run.id, "loopbreak_stopped": None}

    async def abefore_agent(self, state: LoopbreakState, runtime: Any) -> dict[str, Any] | None:
        return self.before_agent(state, runtime)

    @hook_config(can_jump_to=["end"])
    def before_model(self, state: LoopbreakState, runtime: Any) -> dict[str, Any] | None:
        run = self.runs.guarded(lambda: self._run(state, _config()), None)
        if run is None:
            return None
        none: list[ToolMessage] = []
        changed = self.runs.guarded(lambda: self._catch_up(run, state["messages"]), none)
        stopped = run.stopped
        if stopped is None:
            return {"messages": changed} if changed else None
        if self._on_stop == "raise":
            raise stopped
        facts = {key: getattr(stopped, key) for key in ("run", "pattern", "since", "loop_id", "reason")}
        last = AIMessage(f"Stopped by Loopbreak: {stopped.reason}", additional_kwargs={"loopbreak": facts})
        return {"jump_to": "end", "messages": [*changed, last], "loopbreak_stopped": facts}

    @hook_config(can_jump_to=["end"])
    async def abefore_model(self, state: LoopbreakState, runtime: Any) -> dict[str, Any] | None:
        update: dict[str, Any] | None = self.before_model(state, runtime)
        return update

    def after_model(self, state: LoopbreakState, runtime: Any) -> dict[str, Any] | None:
        self.runs.guarded(lambda: self._listen(self._run(state, _config()), state["messages"]), None)
        return None

    async def aafter_model(self, state: LoopbreakState, runtime: Any) -> dict[str, Any] | None:
        return self.after_model(state, runtime)

    def _hear(self, run: SafeRun, messages: Sequence[AnyMessage], config: Any) -> None:
        """Records what the user said."""
        if _is_inside_tool(config):
            return
        said = [message for message in read.said_by_user(messages) if self._is_new(message)]
        if said:
            run.user("\n".join(map(read.text_of, said)))
        elif messages and isinstance(messages[-1], AIMessage):
            run.continued()

    def _listen(self, run: SafeRun, messages: Sequence[AnyMessage]) -> None:
        """Records what the model said and used."""
        batch, message = read.last_of_model(messages)
        if message is None:
            return
        if not message.tool_calls:
            # Words beside a call may repeat while the results move on.
            run.text(read.text_of(message))
        if message.usage_metadata:
            run.usage(message.usage_metadata)
        for call in message.invalid_tool_calls:
            run.after(call["name"] or "", call["args"], call["error"] or "invalid arguments", True, batch=batch)
        self._turns[run.id, batch] = set()
        while len(self._turns) > _KEPT:
            self._turns.popitem(last=False)

    def _catch_up(self, run: SafeRun, messages: Sequence[AnyMessage]) -> list[ToolMessage]:
        """Records calls that were answered without `wrap_tool_call`, such as invalid structured output.

        Returns the answers that have to change.
        """
        if any(read.is_summary(message) and self._is_new(message) for message in messages[:2]):
            run.compacted()
        batch, message = read.last_of_model(messages)
        seen = self._turns.pop((run.id, batch), None)
        if seen is None or message is None:
            return []
        calls = {call["id"]: call for call in message.tool_calls if call["id"] not in seen}
        agent, changed = _agent(_config()), []
        for answer in messages:
            call = calls.get(answer.tool_call_id) if isinstance(answer, ToolMessage) else None
            if call is None:
                continue
            ruling = run.before(call["name"], call["args"], agent=agent, batch=batch)
            if ruling.accepted:
                text, failed = read.answer_of(answer)
                advice = run.after(call["name"], call["args"], text, failed, agent=agent, batch=batch)
                changed += [read.with_note(answer, advice)] if advice else []
            else:
                changed.append(answer.model_copy(update={"content": ruling.text}))
        return changed

    def _guarded_call(self, request: ToolCallRequest) -> _GuardedCall | None:
        return self.runs.guarded(lambda: _GuardedCall(self, request), None)

    def _find_run(self, state: Any, config: Any) -> str | None:
        thread = config.get("configurable", {}).get("thread_id")
        known = state.get("loopbreak_run") if isinstance(state, dict) else None
        return self._run_id or known or (None if thread is None else str(thread))

    def _run(self, state: Any, config: Any) -> SafeRun:
        run_id = self._find_run(state, config)
        if run_id is None:
            # A graph without this middleware and without threads: its first message tells conversations apart.
            messages = read.messages_of(state)
            run_id = (messages[0].id if messages else None) or "main"
        return self.runs.run(run_id)

    def _is_new(self, message: AnyMessage) -> bool:
        key = message.id or str(id(message))
        is_new = key not in self._known
        self._known[key] = None
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        return is_new


class _GuardedCall:
    """One call on its way through the middleware."""

    def __init__(self, guard: Loopbreak, request: ToolCallRequest) -> None:
        self._guard, self._request = guard, request
        self._call = request.tool_call
        config = getattr(request.runtime, "config", None) or _config()
        self._run = guard._run(request.state, config)
        batch, _ = read.last_of_model(read.messages_of(request.state))
        self._labels = {"agent": _agent(config), "batch": batch or None, "call_id": self._call["id"]}
        guard._turns.get((self._run.id, batch), set()).add(self._call["id"] or "")

    def refusal(self) -> ToolMessage | None:
        """Returns the answer to a call that must not be made."""
        ruling = self._run.before(self._call["name"], self._call["args"], **self._labels)
        if ruling.accepted:
            return None
        if ruling.stopped is not None and self._guard._on_stop == "raise" and self._is_bare():
            raise stop_as(_GraphStopped, ruling.stopped)
        return ToolMessage(
            ruling.text, tool_call_id=self._call["id"], name=self._call["name"], status="error"
        )

    def finish(self, result: Any) -> Any:
        """Records the result, and returns it with the advice."""
        text, failed = self._guard.runs.guarded(lambda: read.answer_of(result), ("", False))
        advice = self._run.after(self._call["name"], self._call["args"], text, failed, **self._labels)
        if not advice:
            return result
        return self._guard.runs.guarded(lambda: read.with_note(result, advice), result)

    def fail(self, error: Exception) -> None:
        """Records an exception of the tool. An interrupt is none: the call is made again when the graph is resumed."""
        if not isinstance(error, (GraphBubbleUp, LoopStopped)):
            self._run.after(self._call["name"], self._call["args"], error, True, **self._labels)

    def _is_bare(self) -> bool:
        """True in a graph without the middleware, where nothing else ends the run."""
        state = self._request.state
        return not (isinstance(state, dict) and "loopbreak_run" in state)


def _config() -> Any:
    try:
        return get_config()
    except RuntimeError:
        return {}


def _agent(config: Any) -> str | None:
    name = (config.get("metadata") or {}).get("lc_agent_name")
    return str(name) if name else None


def _is_inside_tool(config: Any) -> bool:
    """True for an agent that a tool of another agent calls: its task is no message of the user."""
    spaces = str(config.get("configurable", {}).get("checkpoint_ns") or "").split("|")[:-1]
    return any(space.startswith("tools:") for space in spaces)
