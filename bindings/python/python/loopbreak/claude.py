"""Guards agents of the Claude Agent SDK: `ClaudeAgentOptions(hooks=hooks())`.

The hooks see, refuse, advise and stop. They cannot raise: the SDK ends its stream of messages without an error. Read the messages
with `guard.watch(...)` to get `LoopStopped`, and to show the guard also what hooks do not see.
"""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from claude_agent_sdk import (
    AssistantMessage,
    HookMatcher,
    ResultMessage,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)

from loopbreak import LoopStopped
from loopbreak._adapter import PREFIX, AdapterRuns, SafeRun, as_text, note

__all__ = ["GuardHooks", "hooks"]

_EVENTS = (
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "PreCompact",
    "Stop",
)
_KEPT = 1000


def hooks(
    config: Any = None,
    *,
    store: Any = None,
    run_id: str | None = None,
    on_error: Callable[[BaseException], object] | None = None,
    runs: AdapterRuns | None = None,
) -> GuardHooks:
    """Returns the value for `ClaudeAgentOptions(hooks=…)`. A run is a session of the SDK, unless `run_id` names it."""
    return GuardHooks(runs or AdapterRuns(config, store, on_error), run_id)


@dataclass
class _Session:
    """The calls of one session that are not finished."""

    run: SafeRun
    running: dict[str, str] = field(default_factory=dict)
    asked: dict[str, tuple[str, Any]] = field(default_factory=dict)
    hooked: OrderedDict[str, None] = field(default_factory=OrderedDict)
    counted: str | None = None
    notes: list[str] = field(default_factory=list)
    is_deaf: bool = False

    def start(self, call_id: str) -> str:
        """Returns the label of the batch: calls that run at the same time were made by one message."""
        batch = next(iter(self.running.values()), None) or str(uuid4())
        self.running[call_id] = batch
        self.hooked[call_id] = None
        while len(self.hooked) > _KEPT:
            self.hooked.popitem(last=False)
        return batch


class GuardHooks(dict[Any, list[HookMatcher]]):
    """The hooks, by event."""

    def __init__(self, runs: AdapterRuns, run_id: str | None = None) -> None:
        super().__init__({event: [HookMatcher(hooks=[self._answer])] for event in _EVENTS})
        self.runs = runs
        self._run_id = run_id
        self._sessions: OrderedDict[str, _Session] = OrderedDict()

    def stopped(self, session_id: str) -> LoopStopped | None:
        """Returns the reason why the session has to end, or `None`."""
        return self._session(session_id).run.stopped

    async def watch(self, messages: AsyncIterable[Any]) -> AsyncIterator[Any]:
        """Passes the messages of the SDK on, and raises `LoopStopped` behind the last message of a session that was stopped."""
        session_id = ""
        try:
            async for message in messages:
                # Messages with results do not name their session.
                session_id = _session_id(message) or session_id
                session = self._session(session_id) if session_id else None
                if session is not None:
                    self.runs.guarded(functools.partial(self._hear, session, message), None)
                yield message
                # The SDK ends by itself what hooks have stopped. No hook sees the other calls.
                if session is not None and (isinstance(message, ResultMessage) or session.is_deaf):
                    session.run.raise_if_stopped()
        finally:
            if isinstance(messages, AsyncGenerator):
                await messages.aclose()

    async def _answer(self, event: Any, tool_use_id: str | None, context: Any) -> Any:
        nothing: dict[str, Any] = {}
        return self.runs.guarded(lambda: self._handle(event, tool_use_id), nothing)

    def _session(self, session_id: str) -> _Session:
        session = self._sessions.get(session_id)
        if session is None:
            session = self._sessions[session_id] = _Session(self.runs.run(self._run_id or session_id))
        self._sessions.move_to_end(session_id)
        while len(self._sessions) > _KEPT:
            self._sessions.popitem(last=False)
        return session

    def _handle(self, event: Any, tool_use_id: str | None) -> dict[str, Any]:
        kind, session = event["hook_event_name"], self._session(event["session_id"])
        if kind == "PreToolUse":
            return self._before(session, event, event.get("tool_use_id") or tool_use_id or "")
        if kind in ("PostToolUse", "PostToolUseFailure"):
            return self._after(session, event, event.get("tool_use_id") or tool_use_id or "")
        if kind == "UserPromptSubmit":
            session.running.clear()
            session.run.user(event.get("prompt"))
        elif kind == "PreCompact":
            session.run.compacted()
        elif kind == "Stop":
            session.run.text(event.get("last_assistant_message") or "")
        return {}

    def _before(self, session: _Session, event: Any, call_id: str) -> dict[str, Any]:
        batch = session.start(call_id)
        ruling = session.run.before(
            event["tool_name"], event["tool_input"], agent=event.get("agent_id"), batch=batch, call_id=call_id
        )
        if ruling.accepted:
            return _speak("PreToolUse", session)
        session.running.pop(call_id, None)
        answer: dict[str, Any] = {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": ruling.text,
            }
        }
        return answer | _end(session)

    def _after(self, session: _Session, event: Any, call_id: str) -> dict[str, Any]:
        batch = session.running.pop(call_id, None)
        failed = event["hook_event_name"] == "PostToolUseFailure"
        text = event.get("error") if failed else _readable(event.get("tool_response"))
        by_user = event.get("is_interrupt") is True
        advice = session.run.after(
            event["tool_name"],
            event["tool_input"],
            text,
            failed,
            denied="user" if by_user else None,
            agent=event.get("agent_id"),
            batch=batch,
            call_id=call_id,
        )
        if text := note(advice):
            session.notes.append(text)
        return _speak(event["hook_event_name"], session) | _end(session)

    def _hear(self, session: _Session, message: Any) -> None:
        """Records what hooks do not see: usage, and calls that were never made."""
        if isinstance(message, AssistantMessage):
            # A message comes in several parts, each with the usage of the whole.
            usage, number = getattr(message, "usage", None), getattr(message, "message_id", None)
            if usage and (number is None or number != session.counted):
                session.counted = number
                session.run.usage(usage)
            for block in message.content:
                if isinstance(block, ToolUseBlock):
                    session.asked[block.id] = (block.name, block.input)
        elif isinstance(message, UserMessage) and isinstance(message.content, list):
            for block in message.content:
                call = session.asked.pop(block.tool_use_id, None) if isinstance(block, ToolResultBlock) else None
                if call is not None and block.tool_use_id not in session.hooked:
                    self._hear_rejected(session, *call, block)

    def _hear_rejected(self, session: _Session, name: str, args: Any, block: ToolResultBlock) -> None:
        """Records a call without hooks: an unknown tool, or invalid arguments."""
        ruling = session.run.before(name, args)
        session.is_deaf = ruling.decision == "stop"
        if ruling.accepted:
            text = note(session.run.after(name, args, _readable(block.content), block.is_error))
        else:
            text = PREFIX + ruling.text
        if text:
            session.notes.append(text)


def _session_id(message: Any) -> str:
    data = getattr(message, "data", None)
    found = getattr(message, "session_id", None) or (data.get("session_id") if isinstance(data, dict) else None)
    return str(found or "")


def _speak(event: str, session: _Session) -> dict[str, Any]:
    """Returns the answer that puts the notes before the model."""
    if not session.notes:
        return {}
    text = "\n\n".join(session.notes)
    session.notes.clear()
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _end(session: _Session) -> dict[str, Any]:
    stopped = session.run.stopped
    return {} if stopped is None else {"continue_": False, "stopReason": f"Stopped by Loopbreak: {stopped.reason}"}


def _readable(response: Any) -> str:
    """Returns the text of a response of a tool, without durations, which differ between equal responses."""
    if isinstance(response, dict):
        if isinstance(response.get("stdout"), str):
            return "\n".join(part for part in (response["stdout"], response.get("stderr")) if part)
        for key in ("content", "text", "output", "result"):
            if isinstance(response.get(key), (str, list)):
                return _readable(response[key])
        return as_text({key: value for key, value in response.items() if "duration" not in key.lower()})
    if isinstance(response, list) and all(isinstance(part, dict) and "text" in part for part in response):
        return "\n".join(str(part["text"]) for part in response)
    return as_text(response)
