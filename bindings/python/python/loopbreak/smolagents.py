"""Guards smolagents: `agent = Loopbreak().protect(ToolCallingAgent(…))`, or a `CodeAgent`."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, TypeVar

from smolagents import ActionStep, TaskStep
from smolagents.local_python_executor import CodeOutput
from smolagents.utils import AgentParsingError

from loopbreak._adapter import AdapterRuns, SafeRun
from loopbreak._fail_open import fail_open
from loopbreak._turns import ModelTurns, token_usage

if TYPE_CHECKING:
    from collections.abc import Callable

    from smolagents import MultiStepAgent

    from loopbreak import LoopStopped

__all__ = ["Loopbreak"]

_Agent = TypeVar("_Agent", bound="MultiStepAgent")


class Loopbreak:
    """Guards the agents that `protect` was called with. Each agent is a run of its own.

    A stop raises `LoopStopped` out of `agent.run`. `stopped` is the newest stop of any agent.
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

    def protect(self, agent: _Agent, run: str | None = None) -> _Agent:
        """Guards an agent and those that it manages, and returns the same agent."""
        guarded = _GuardedAgent(self, agent, self.runs.run(run or uuid.uuid4().hex))
        if hasattr(agent, "execute_tool_call"):
            agent.execute_tool_call = guarded.execute_tool_call
        if getattr(agent, "python_executor", None) is not None:
            agent.python_executor = _GuardedExecutor(guarded, agent.python_executor)
        agent.step_callbacks.register(ActionStep, guarded.end_step)
        for managed in agent.managed_agents.values():
            self.protect(managed)
        return agent


class _GuardedAgent:
    """One agent: its calls run in threads, its steps one after the other."""

    def __init__(self, guard: Loopbreak, agent: MultiStepAgent, run: SafeRun) -> None:
        self.runs = guard.runs
        self._guard, self._agent, self._run, self._turns = guard, agent, run, guard._turns
        self._original: Any = getattr(agent, "execute_tool_call", None)
        self._task: TaskStep | None = None
        self._turns.begin(run.id)

    def execute_tool_call(self, tool_name: str, arguments: Any) -> Any:
        original: Callable[[str, Any], Any] = self._original
        if tool_name == "final_answer":
            return original(tool_name, arguments)
        return self.call(tool_name, arguments, lambda: original(tool_name, arguments), lambda text: text)

    def call(self, name: str, args: Any, original: Callable[[], Any], refusal: Callable[[str], Any]) -> Any:
        """Runs a tool or a program, unless it is refused."""
        if (text := self._weigh(name, args)) is not None:
            return refusal(text)
        try:
            result = original()
        except Exception as error:
            self._record(name, args, error, True)
            raise
        self._record(name, args, _code_result(result) if isinstance(result, CodeOutput) else str(result), None)
        return result

    @fail_open
    def _weigh(self, name: str, args: Any) -> str | None:
        self._see_task()
        ruling = self._run.before(name, args, batch=self._turns.batch(self._run.id))
        return None if ruling.accepted else ruling.text

    @fail_open
    def _record(self, name: str, args: Any, outcome: object, error: bool | None) -> None:
        usage, batch = self._turns.take_usage(self._run.id), self._turns.batch(self._run.id)
        # Advice is added to the observations of the step, which is what the model reads of all its calls.
        self._turns.hold(self._run.id, self._run.after(name, args, outcome, error, usage, batch=batch))

    @fail_open
    def end_step(self, step: ActionStep, agent: object = None) -> None:
        """Adds the advice to what the model reads of this step. Raises the stop."""
        self._see_task()
        said = step.model_output
        if isinstance(step.error, AgentParsingError):
            # What the model wrote was neither a call nor a program.
            ruling = self._run.before("unparsed", {"text": str(said)}, batch=self._turns.batch(self._run.id))
            if ruling.accepted:
                self._record("unparsed", {"text": str(said)}, step.error, True)
            else:
                self._turns.hold(self._run.id, [ruling.text])
        elif isinstance(said, str) and step.code_action is None:
            self._run.text(said)
        self._turns.begin(self._run.id, token_usage(step.token_usage, "input_tokens", "output_tokens"))
        if text := self._turns.take_note(self._run.id):
            step.observations = "\n\n".join(part for part in (step.observations, text) if part)
        if (stopped := self._run.stopped) is not None:
            self._guard.stopped = stopped
            self._agent.memory.steps.append(step)  # the agent does that only for steps that end well
            raise stopped

    def _see_task(self) -> None:
        """A new task is a message of the user."""
        tasks = [step for step in self._agent.memory.steps if isinstance(step, TaskStep)]
        if tasks and tasks[-1] is not self._task:
            self._task = tasks[-1]
            self._run.user(self._task.task)


class _GuardedExecutor:
    """Stands for the executor of a code agent: each program is one call."""

    def __init__(self, agent: _GuardedAgent, executor: Any) -> None:
        self._guarded, self._executor = agent, executor

    def __call__(self, code_action: str) -> CodeOutput:
        def refused(text: str) -> CodeOutput:
            return CodeOutput(output=None, logs=text, is_final_answer=False)

        args = {"code": code_action}
        output: CodeOutput = self._guarded.call(
            "python_interpreter", args, lambda: self._executor(code_action), refused
        )
        return output

    def __getattr__(self, name: str) -> Any:
        return getattr(self._executor, name)


def _code_result(result: CodeOutput) -> str:
    return "\n".join(part for part in (result.logs, "" if result.output is None else str(result.output)) if part)
