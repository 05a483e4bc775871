"""Guards agents of the OpenAI Agents SDK.

`Loopbreak.protect` puts a guardrail before and behind each tool, `hooks` hears the model and the user and ends the run, and
`run_config` puts advice about tools without guardrails before the model.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from agents import (
    Agent,
    AgentsException,
    FunctionTool,
    Handoff,
    ModelResponse,
    RunConfig,
    RunContextWrapper,
    RunHooks,
    ToolGuardrailFunctionOutput,
    ToolInputGuardrail,
    ToolInputGuardrailData,
    ToolOutputGuardrail,
    ToolOutputGuardrailData,
)
from agents.run import CallModelData, ModelInputData

from loopbreak import LoopStopped
from loopbreak import _openai_items as read
from loopbreak._adapter import PREFIX, AdapterRuns, SafeRun, add_note, as_text, note, stop_as

__all__ = ["Loopbreak"]

_KEPT = 1000


class _AgentsStopped(LoopStopped, AgentsException):
    """`LoopStopped` that the SDK passes on as it is."""

    run_data: Any = None


@dataclasses.dataclass
class _Turns:
    """One `Runner.run`: its run, and the calls of the model that have no outcome yet."""

    run: SafeRun
    usage: object
    number: int = 0
    has_heard_user: bool = False
    compactions: int = 0
    open_calls: dict[str, read.ItemCall] = dataclasses.field(default_factory=dict)
    held_notes: list[str] = dataclasses.field(default_factory=list)
    label: str = dataclasses.field(default_factory=lambda: str(uuid4()))

    @property
    def batch(self) -> str:
        """A label for the current message of the model that no other message of the run has."""
        return f"{self.label}:{self.number}"


class Loopbreak:
    """A guard for runs of the SDK. Each `Runner.run` is a run of its own, unless it has a `run_id`: see `for_run`."""

    def __init__(
        self,
        config: Any = None,
        *,
        store: Any = None,
        run_id: str | None = None,
        on_error: Callable[[BaseException], object] | None = None,
        runs: AdapterRuns | None = None,
    ) -> None:
        self.runs = runs or AdapterRuns(config, store, on_error)
        self._book = _RunBook(self.runs)
        self._set_run(run_id)

    def for_run(self, run_id: str) -> Loopbreak:
        """Returns this guard for one conversation. Its `hooks` and `run_config` name the run; agents stay protected."""
        other = object.__new__(Loopbreak)
        other.runs, other._book = self.runs, self._book
        other._set_run(run_id)
        return other

    def _set_run(self, run_id: str | None) -> None:
        self.hooks: RunHooks[Any] = _Hooks(self._book, run_id)
        self.run_config = RunConfig(call_model_input_filter=self._book.filter_input)

    def stopped(self, run_id: str) -> LoopStopped | None:
        """Returns the reason why the run with this id has to end, or `None`."""
        return self.runs.run(run_id).stopped

    def protect(self, agent: Agent[Any]) -> Agent[Any]:
        """Returns a copy of the agent with guarded tools. Agents that it hands off to are copied too."""
        return self._protect(agent, {})

    def _protect(self, agent: Agent[Any], done: dict[int, Agent[Any]]) -> Agent[Any]:
        if id(agent) in done:
            return done[id(agent)]
        done[id(agent)] = copy = agent.clone(tools=[self._guarded_tool(tool) for tool in agent.tools])
        copy.handoffs = [self._protect_handoff(one, done) for one in agent.handoffs]
        load = copy.get_mcp_tools

        async def get_mcp_tools(run_context: RunContextWrapper[Any]) -> list[Any]:
            return [self._guarded_tool(tool) for tool in await load(run_context)]

        object.__setattr__(copy, "get_mcp_tools", get_mcp_tools)
        return copy

    def _protect_handoff(self, handoff: Any, done: dict[int, Agent[Any]]) -> Any:
        if isinstance(handoff, Agent):
            return self._protect(handoff, done)
        if not isinstance(handoff, Handoff):
            return handoff
        invoke = handoff.on_invoke_handoff

        async def on_invoke_handoff(context: RunContextWrapper[Any], args: str) -> Any:
            target = await invoke(context, args)
            return self._protect(target, done) if isinstance(target, Agent) else target

        return dataclasses.replace(handoff, on_invoke_handoff=on_invoke_handoff)

    def _guarded_tool(self, tool: Any) -> Any:
        if not isinstance(tool, FunctionTool):
            return tool
        return dataclasses.replace(
            tool,
            tool_input_guardrails=[*(tool.tool_input_guardrails or []), self._book.before],
            tool_output_guardrails=[*(tool.tool_output_guardrails or []), self._book.after],
        )


class _RunBook:
    """Knows the runs in progress, and records what happens in them."""

    def __init__(self, runs: AdapterRuns) -> None:
        self.runs = runs
        self.before: ToolInputGuardrail[Any] = ToolInputGuardrail(self._before, name="loopbreak")
        self.after: ToolOutputGuardrail[Any] = ToolOutputGuardrail(self._after, name="loopbreak")
        self._turns: OrderedDict[int, _Turns] = OrderedDict()
        self._callers: OrderedDict[str, _Turns] = OrderedDict()

    def turns(self, context: RunContextWrapper[Any], run_id: str | None = None) -> _Turns:
        # Contexts are copied for each call. They share their usage, which belongs to one `Runner.run`.
        key = id(context.usage)
        found = self._turns.get(key)
        if found is None:
            found = _Turns(self.runs.run(run_id or uuid4()), context.usage)
            self._turns[key] = found
            while len(self._turns) > _KEPT:
                self._turns.popitem(last=False)
        return found

    def open_call(self, turns: _Turns, call: read.ItemCall) -> None:
        turns.open_calls[call.call_id] = call
        self._callers[call.call_id] = turns
        while len(self._callers) > _KEPT:
            self._callers.popitem(last=False)

    def _before(self, data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        return self.runs.guarded(lambda: self._weigh(data), ToolGuardrailFunctionOutput.allow())

    def _after(self, data: ToolOutputGuardrailData) -> ToolGuardrailFunctionOutput:
        return self.runs.guarded(lambda: self._observe(data), ToolGuardrailFunctionOutput.allow())

    def _weigh(self, data: ToolInputGuardrailData) -> ToolGuardrailFunctionOutput:
        context, turns = data.context, self.turns(data.context)
        ruling = turns.run.before(
            context.tool_name,
            context.tool_arguments,
            agent=data.agent.name,
            batch=turns.batch,
            call_id=context.tool_call_id,
        )
        if ruling.accepted:
            return ToolGuardrailFunctionOutput.allow()
        turns.open_calls.pop(context.tool_call_id, None)
        return ToolGuardrailFunctionOutput.reject_content(ruling.text)

    def _observe(self, data: ToolOutputGuardrailData) -> ToolGuardrailFunctionOutput:
        context, turns = data.context, self.turns(data.context)
        turns.open_calls.pop(context.tool_call_id, None)
        advice = turns.run.after(
            context.tool_name,
            context.tool_arguments,
            data.output,
            read.failed(data.output),
            agent=data.agent.name,
            batch=turns.batch,
            call_id=context.tool_call_id,
        )
        if not advice:
            return ToolGuardrailFunctionOutput.allow()
        if read.is_structured(data.output):
            turns.held_notes.append(note(advice))
            return ToolGuardrailFunctionOutput.allow()
        return ToolGuardrailFunctionOutput.reject_content(add_note(as_text(data.output), advice))

    def filter_input(self, data: CallModelData[Any]) -> ModelInputData:
        notes: list[str] = self.runs.guarded(lambda: self._take_notes(data), [])
        added: list[Any] = [{"role": "user", "content": text} for text in notes]
        return ModelInputData([*data.model_data.input, *added], data.model_data.instructions)

    def _take_notes(self, data: CallModelData[Any]) -> list[str]:
        """Records the calls that no guardrail has seen, and returns all advice that is due."""
        found: dict[int, _Turns] = {}
        for call_id, output in read.outputs(data.model_data.input):
            turns = self._callers.pop(call_id, None)
            if turns is None:
                continue
            found[id(turns)] = turns
            if (call := turns.open_calls.pop(call_id, None)) is not None:
                self.record(turns, call, output, data.agent.name)
        notes = [text for turns in found.values() for text in turns.held_notes]
        for turns in found.values():
            turns.held_notes.clear()
        return notes

    def record(self, turns: _Turns, call: read.ItemCall, output: Any, agent: str) -> None:
        """Records a call that no guardrail could refuse."""
        ruling = turns.run.before(call.name, call.args, agent=agent, batch=turns.batch)
        if not ruling.accepted:
            turns.held_notes.append(PREFIX + ruling.text)
            return
        failed = call.failed or read.failed(output)
        advice = turns.run.after(call.name, call.args, output, failed, agent=agent, batch=turns.batch)
        if advice:
            turns.held_notes.append(note(advice))


class _Hooks(RunHooks[Any]):
    """Hears the user and the model, and ends the run before the next request of the model."""

    def __init__(self, book: _RunBook, run_id: str | None) -> None:
        self._book, self._run_id = book, run_id

    async def on_llm_start(
        self, context: RunContextWrapper[Any], agent: Any, system_prompt: str | None, input_items: list[Any]
    ) -> None:
        turns = self._turns(context)
        if turns is None:
            return
        self._book.runs.guarded(lambda: self._hear(turns, input_items), None)
        if (stopped := turns.run.stopped) is not None:
            raise stop_as(_AgentsStopped, stopped)

    async def on_llm_end(
        self, context: RunContextWrapper[Any], agent: Agent[Any], response: ModelResponse
    ) -> None:
        if (turns := self._turns(context)) is not None:
            self._book.runs.guarded(lambda: self._listen(turns, agent.name, response), None)

    def _turns(self, context: RunContextWrapper[Any]) -> _Turns | None:
        return self._book.runs.guarded(lambda: self._book.turns(context, self._run_id), None)

    def _hear(self, turns: _Turns, items: list[Any]) -> None:
        if not turns.has_heard_user:
            turns.has_heard_user = True
            if (said := read.said_by_user(items)) is not None:
                turns.run.user(said)
        compactions = read.compactions(items)
        if compactions > turns.compactions:
            turns.run.compacted()
        turns.compactions = compactions

    def _listen(self, turns: _Turns, agent: str, response: ModelResponse) -> None:
        turns.number += 1
        turns.open_calls.clear()
        turns.run.usage(
            {"input_tokens": response.usage.input_tokens, "output_tokens": response.usage.output_tokens}
        )
        calls = list(read.calls(response.output))
        if not calls:
            # Words beside a call may repeat while the results move on.
            turns.run.text(read.text(response.output))
        for call in calls:
            if call.is_done:
                self._book.record(turns, call, call.output, agent)
            else:
                self._book.open_call(turns, call)
