"""Guards the agents behind a LiteLLM proxy: a file beside its configuration, with `from loopbreak.litellm import guard`.

The proxy keeps nothing about an agent. Each request holds the whole conversation, and the guard is built from it.
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from litellm.integrations.custom_logger import CustomLogger

from loopbreak._adapter import AdapterRuns, SafeRun, as_text, note
from loopbreak._fail_open import fail_open

if TYPE_CHECKING:
    from loopbreak import LoopStopped

__all__ = ["Loopbreak", "guard"]

_Item = Mapping[str, Any]


class Loopbreak(CustomLogger):
    """Guards the conversations of a proxy. A stop answers the request with status 400 and the error code `loop_stopped`.

    `max_messages` limits the work: the newest messages up to this number are read.
    """

    def __init__(
        self,
        config: Any = None,
        *,
        max_messages: int = 400,
        on_error: Callable[[BaseException], object] | None = None,
    ) -> None:
        super().__init__()
        self._config, self._on_error, self._max_messages = config, on_error, max_messages
        # A wrong configuration is an error here and not in each request. `runs` reports the other errors, once each.
        self.runs = AdapterRuns(config, None, on_error, max_runs=1)
        self.stopped: LoopStopped | None = None

    async def async_pre_call_hook(
        self, user_api_key_dict: Any, cache: Any, data: dict[str, Any], call_type: str
    ) -> dict[str, Any]:
        # In a thread, so that a long conversation does not hold up the other requests.
        if (stopped := await asyncio.to_thread(self._check, data)) is not None:
            self.stopped = stopped
            raise _http_error(stopped) from stopped
        return data

    @fail_open
    def _check(self, data: dict[str, Any]) -> LoopStopped | None:
        """Plays the conversation to a new guard, and adds the advice to the messages that it was about."""
        key = "messages" if isinstance(data.get("messages"), list) else "input"
        messages = data.get(key)
        if not isinstance(messages, list) or not any(_results(message) for message in messages[-self._max_messages :]):
            return None
        runs = AdapterRuns(self._config, None, self._on_error, max_runs=1)
        run = runs.run(_session(data) or uuid.uuid4().hex)
        calls: dict[str, tuple[str, Any, str]] = {}
        shown = list(messages)
        for number, message in enumerate(shown):
            if number < len(shown) - self._max_messages or not isinstance(message, Mapping):
                continue
            if _is_user(message):
                run.user(_text(message.get("content")))
            elif message.get("role") == "assistant" and (said := _text(message.get("content"))):
                run.text(said)
            for call_id, name, args in _calls(message):
                # In the Responses API each call is an item of its own: those without a result between them are one message.
                calls[call_id] = (name, args, _batch(shown, number))
            for result in _results(message):
                if advice := self._play(run, result, calls):
                    shown[number] = _with_note(shown[number], result, advice)
        data[key] = shown
        return run.stopped

    def _play(self, run: SafeRun, result: _Item, calls: Mapping[str, tuple[str, Any, str]]) -> str:
        """Returns the advice about a call that the agent has made."""
        name, args, batch = calls.get(_call_id(result), (str(result.get("name") or ""), None, ""))
        if not name:
            return ""
        # The agent has made the call, whatever we say. An agent that makes calls that are refused insists.
        ruling = run.before(name, args, batch=batch or None)
        if not ruling.accepted:
            return ruling.text
        error = True if result.get("is_error") is True else None
        outcome = _text(result.get("content", result.get("output")))
        return note(run.after(name, args, outcome, error, batch=batch or None))


def _http_error(stopped: LoopStopped) -> Exception:
    from fastapi import HTTPException

    details = {name: getattr(stopped, name) for name in ("run", "pattern", "since", "loop_id", "reason")}
    # Clients repeat a request after 429 and 5xx. This one must not be repeated.
    error = {"message": f"Stopped by Loopbreak: {stopped}", "type": "loop_stopped", "code": "loop_stopped", **details}
    answer: Exception = HTTPException(status_code=400, detail={"error": error})
    return answer


def _session(data: _Item) -> str | None:
    for place in (data.get("metadata"), data.get("litellm_metadata"), data):
        known = place.get("session_id") or place.get("litellm_session_id") if isinstance(place, Mapping) else None
        if isinstance(known, str) and known:
            return known[:200]
    return None


def _blocks(message: _Item, kind: str) -> Iterator[_Item]:
    content = message.get("content")
    yield from (block for block in (content if isinstance(content, list) else []) if _kind(block) == kind)


def _kind(block: object) -> object:
    return block.get("type") if isinstance(block, Mapping) else None


def _calls(message: _Item) -> Iterator[tuple[str, str, Any]]:
    """Yields id, name and arguments of the calls in a message, in each of the three APIs."""
    for call in message.get("tool_calls") or []:
        function = call.get("function") or {}
        yield str(call.get("id")), str(function.get("name") or ""), function.get("arguments")
    for block in _blocks(message, "tool_use"):
        yield str(block.get("id")), str(block.get("name") or ""), block.get("input")
    if message.get("type") == "function_call":
        yield str(message.get("call_id")), str(message.get("name") or ""), message.get("arguments")


def _results(message: Any) -> list[_Item]:
    if not isinstance(message, Mapping):
        return []
    if message.get("role") == "tool" or message.get("type") == "function_call_output":
        return [message]
    return list(_blocks(message, "tool_result"))


def _call_id(result: _Item) -> str:
    return str(result.get("tool_call_id") or result.get("tool_use_id") or result.get("call_id"))


def _is_user(message: _Item) -> bool:
    return message.get("role") == "user" and not _results(message)


def _batch(messages: list[Any], number: int) -> str:
    while number > 0 and _kind(messages[number]) == "function_call" == _kind(messages[number - 1]):
        number -= 1
    return f"message {number}"


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [block.get("text", "") if isinstance(block, Mapping) else str(block) for block in content]
        return "\n".join(part for part in parts if isinstance(part, str) and part) or as_text(content)
    return "" if content is None else as_text(content)


def _with_note(message: Any, result: _Item, text: str) -> dict[str, Any]:
    """Returns a copy of the message whose result has the text behind it. The message of the caller stays as it is."""
    if result is message or message.get("role") == "tool" or message.get("type") == "function_call_output":
        key = "output" if message.get("type") == "function_call_output" else "content"
        return {**message, key: _appended(message.get(key), text)}
    wanted = _call_id(result)
    blocks = [
        {**block, "content": _appended(block.get("content"), text)}
        if _kind(block) == "tool_result" and _call_id(block) == wanted
        else block
        for block in message["content"]
    ]
    return {**message, "content": blocks}


def _appended(content: Any, text: str) -> Any:
    if isinstance(content, list):
        return [*content, {"type": "text", "text": text}]
    return f"{content or ''}\n\n{text}".strip()


guard = Loopbreak()
