"""Guards all crews and agents of CrewAI in this process: `import loopbreak.crewai; loopbreak.crewai.install()`."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from crewai import hooks

from loopbreak import LoopStopped
from loopbreak._adapter import AdapterRuling, AdapterRuns, SafeRun, add_note, stop_as

__all__ = ["CrewGuard", "install", "uninstall"]

_KEPT = 1000
_BLOCKED = "Tool execution blocked by hook"
_FAILURES = ("Error executing tool", "Tool not found", "I encountered an error while trying to use the tool")
# CrewAI puts the list of tools behind every third result, where the model calls tools in text. It is not part of the outcome.
_REMINDER = "\n\n\nYou ONLY have access to the following tools, and should NEVER make up tools"
_CALL = re.compile(r"Action:[ \t]*(?P<name>[^\n]+?)[ \t]*\nAction Input:[ \t]*(?P<args>[^\n]*)\n?(?P<outcome>[\s\S]*)")

# CrewAI passes on what is a `HookAborted` and swallows all else. Releases before 1.15 have none: there, a hook can only say no.
_Aborted: Any = getattr(hooks, "HookAborted", None)
_CrewStopped: Any = None if _Aborted is None else type("_CrewStopped", (LoopStopped, _Aborted), {})

_installed: CrewGuard | None = None


def install(
    config: Any = None,
    *,
    store: Any = None,
    run_id: str | None = None,
    on_error: Callable[[BaseException], object] | None = None,
    runs: AdapterRuns | None = None,
) -> CrewGuard:
    """Registers the guard with CrewAI. It replaces the one that is installed already."""
    global _installed
    uninstall()
    _installed = CrewGuard(runs or AdapterRuns(config, store, on_error), run_id)
    hooks.register_before_tool_call_hook(_installed.before_tool)
    hooks.register_after_tool_call_hook(_installed.after_tool)
    hooks.register_before_llm_call_hook(_installed.before_model)
    hooks.register_after_llm_call_hook(_installed.after_model)
    return _installed


def uninstall() -> None:
    """Takes the guard out again."""
    global _installed
    if _installed is not None:
        hooks.unregister_before_tool_call_hook(_installed.before_tool)
        hooks.unregister_after_tool_call_hook(_installed.after_tool)
        hooks.unregister_before_llm_call_hook(_installed.before_model)
        hooks.unregister_after_llm_call_hook(_installed.after_model)
        _installed = None


@dataclass
class _Crew:
    """The state of one agent in a crew, or without one."""

    run: SafeRun
    owner: object
    agent: object
    batch: str = ""
    tokens: tuple[int, int] = (0, 0)
    seen: list[str] = field(default_factory=list)


class CrewGuard:
    """The hooks. A run is a crew, or an agent that works without one."""

    def __init__(self, runs: AdapterRuns, run_id: str | None = None) -> None:
        self.runs = runs
        self._run_id = run_id
        self._crews: OrderedDict[tuple[int, int], _Crew] = OrderedDict()
        # By the arguments of the call, which are one object from `before_tool` to `after_tool`.
        self._refused: OrderedDict[int, tuple[object, AdapterRuling]] = OrderedDict()

    def stopped(self, owner: object) -> LoopStopped | None:
        """Returns the reason why this crew, or this agent without a crew, has to end, or `None`."""
        return self._crew(owner, None).run.stopped

    def before_tool(self, context: Any) -> bool | None:
        return self.runs.guarded(lambda: self._before(context), None)

    def after_tool(self, context: Any) -> str | None:
        return self.runs.guarded(lambda: self._after(context), None)

    def before_model(self, context: Any) -> bool | None:
        crew = self.runs.guarded(lambda: self._catch_up(context), None)
        stopped = None if crew is None else crew.run.stopped
        if stopped is None:
            return None
        if _CrewStopped is None:
            return False
        error = stop_as(_CrewStopped, stopped)
        error.source = "loopbreak"
        raise error

    def after_model(self, context: Any) -> str | None:
        self.runs.guarded(lambda: self._listen(context), None)
        return None

    def _before(self, context: Any) -> bool | None:
        crew = self._crew(context.crew or context.agent, context.agent)
        ruling = crew.run.before(
            context.tool_name, context.tool_input, agent=_role(context.agent), batch=crew.batch
        )
        if ruling.accepted:
            return None
        self._refused[id(context.tool_input)] = (context.tool_input, ruling)
        while len(self._refused) > _KEPT:
            self._refused.popitem(last=False)
        return False

    def _after(self, context: Any) -> str | None:
        crew = self._crew(context.crew or context.agent, context.agent)
        crew.seen.append(context.tool_name)
        _, ruling = self._refused.pop(id(context.tool_input), (None, None))
        if ruling is not None:
            # CrewAI does not give the model the reason of a hook, but takes another result.
            return ruling.text
        result = context.tool_result or ""
        advice = crew.run.after(
            context.tool_name,
            context.tool_input,
            _without_reminder(result),
            True if result.startswith(_FAILURES) else None,
            denied="policy" if result.startswith(_BLOCKED) else None,
            agent=_role(context.agent),
            batch=crew.batch,
        )
        return add_note(result, advice) if advice else None

    def _listen(self, context: Any) -> None:
        crew = self._crew(context.crew or context.agent, context.agent)
        if not _CALL.search(context.response or ""):
            # Words beside a call may repeat while the results move on.
            crew.run.text(context.response or "")

    def _catch_up(self, context: Any) -> _Crew:
        """Records the task as the word of the user, usage, and the calls of the last message that no hook has seen."""
        crew, messages = self._crew(context.crew or context.agent, context.agent), context.messages
        self._count_tokens(crew, context.llm)
        if not any(message.get("role") in ("assistant", "tool") for message in messages):
            said = [str(message.get("content")) for message in messages if message.get("role") == "user"]
            crew.run.user("\n".join(said))
        for call in _calls(messages):
            if call.name in crew.seen:
                crew.seen.remove(call.name)
                continue
            labels: dict[str, Any] = {"agent": _role(context.agent), "batch": crew.batch}
            ruling = crew.run.before(call.name, call.args, **labels)
            if not ruling.accepted:
                call.message["content"] = ruling.text
                continue
            advice = crew.run.after(call.name, call.args, _without_reminder(call.outcome), True, **labels)
            if advice:
                call.message["content"] = add_note(str(call.message.get("content")), advice)
        crew.seen.clear()
        crew.batch = str(uuid4())
        return crew

    def _count_tokens(self, crew: _Crew, llm: Any) -> None:
        summary = getattr(llm, "get_token_usage_summary", None)
        if summary is None:
            return
        used = summary()
        total = (used.prompt_tokens, used.completion_tokens)
        spent = [max(0, now - before) for now, before in zip(total, crew.tokens, strict=True)]
        crew.tokens = total
        crew.run.usage({"input_tokens": spent[0], "output_tokens": spent[1]})

    def _crew(self, owner: object, agent: object) -> _Crew:
        key = (id(owner), id(agent))
        crew = self._crews.get(key)
        if crew is None:
            # Without a crew and an agent, as in a call of a model by itself, there is one run for all.
            name = self._run_id or getattr(owner, "id", None) or "crewai"
            crew = self._crews[key] = _Crew(self.runs.run(name), owner, agent)
        self._crews.move_to_end(key)
        while len(self._crews) > _KEPT:
            self._crews.popitem(last=False)
        return crew


@dataclass
class _MessageCall:
    """A call as it stands in the messages, with the message that has its result."""

    name: str
    args: Any
    outcome: str
    message: Any


def _calls(messages: Any) -> list[_MessageCall]:
    """Returns the calls of the last message of the model."""
    last = max((at for at, one in enumerate(messages) if one.get("role") == "assistant"), default=None)
    if last is None:
        return []
    message, found = messages[last], []
    if not message.get("tool_calls"):
        match = _CALL.search(str(message.get("content") or ""))
        return [_MessageCall(match["name"], match["args"], match["outcome"], message)] if match else []
    answers = {one.get("tool_call_id"): one for one in messages[last + 1 :] if one.get("role") == "tool"}
    for call in message["tool_calls"]:
        answer, function = answers.get(call.get("id")), call.get("function") or {}
        if answer is not None:
            text = str(answer.get("content") or "")
            found.append(_MessageCall(function.get("name") or "", function.get("arguments"), text, answer))
    return found


def _without_reminder(result: str) -> str:
    return result.partition(_REMINDER)[0]


def _role(agent: Any) -> str | None:
    role = getattr(agent, "role", None)
    return str(role).strip() if role else None
