"""Reads the items of the Responses API for `loopbreak.openai_agents`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from loopbreak._adapter import PREFIX, as_text

# Tools that the provider runs: their item has the result, or none.
_HOSTED = {
    "mcp_call": ("arguments", "output"),
    "web_search_call": ("action", ""),
    "file_search_call": ("queries", "results"),
    "code_interpreter_call": ("code", "outputs"),
    "image_generation_call": ("", ""),
}
# Tools that run here: the result is another item with the same `call_id`.
_LOCAL = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "computer_call": "action",
    "shell_call": "action",
    "local_shell_call": "action",
    "apply_patch_call": "operation",
}
_FAILURES = ("An error occurred while running the tool", "An error occurred while parsing tool arguments")


@dataclass(frozen=True)
class ItemCall:
    """A call as the model has made it. `is_done` says that the provider has run it already."""

    name: str
    args: Any
    call_id: str = ""
    is_done: bool = False
    output: Any = None
    failed: bool | None = None


def calls(items: Sequence[Any]) -> Iterator[ItemCall]:
    """Returns the calls among the items of a response."""
    for item in items:
        kind = _get(item, "type")
        if kind in _LOCAL:
            name = _get(item, "name") or kind.removesuffix("_call")
            yield ItemCall(name, _plain(_get(item, _LOCAL[kind])), _get(item, "call_id") or "")
        elif kind in _HOSTED:
            args, output = _HOSTED[kind]
            error = _get(item, "error")
            failed = True if error or _get(item, "status") == "failed" else None
            result = error or (_plain(_get(item, output)) if output else None)
            name = _get(item, "name") or kind.removesuffix("_call")
            yield ItemCall(name, _plain(_get(item, args)) if args else None, "", True, result, failed)


def outputs(items: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Returns the `call_id` and the output of each result among the input of the model."""
    for item in items:
        if str(_get(item, "type") or "").endswith("_call_output"):
            yield str(_get(item, "call_id") or ""), _get(item, "output")


def text(items: Sequence[Any]) -> str:
    """Returns what the model said in a response."""
    said = (_content_text(_get(item, "content")) for item in items if _get(item, "type") == "message")
    return "\n".join(part for part in said if part)


def said_by_user(items: Sequence[Any]) -> str | None:
    """Returns the messages of the user at the end of the input, or `None`."""
    said: list[str] = []
    for item in reversed(items):
        if _get(item, "role") != "user":
            break
        one = _content_text(_get(item, "content"))
        if not one.startswith(PREFIX):
            said.insert(0, one)
    return "\n".join(said) if said else None


def compactions(items: Sequence[Any]) -> int:
    """Returns the number of items that stand in place of a part of the conversation."""
    return sum(_get(item, "type") in ("compaction", "compaction_summary") for item in items)


def failed(output: Any) -> bool | None:
    """True for an output that the SDK makes of an exception. Of others nothing is known."""
    return True if isinstance(output, str) and output.startswith(_FAILURES) else None


def is_structured(output: Any) -> bool:
    """True for pictures, files and lists of them, which are more than a text."""
    parts = output if isinstance(output, (list, tuple)) else [output]
    return any(_get(part, "type") in ("text", "image", "file", "input_image", "input_file") for part in parts)


def _content_text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, (list, tuple)) else []
    return "\n".join(as_text(found) for part in parts if (found := _get(part, "text")))


def _plain(value: Any) -> Any:
    return value.model_dump(exclude_none=True) if hasattr(value, "model_dump") else value


def _get(item: Any, key: str) -> Any:
    return item.get(key) if isinstance(item, dict) else getattr(item, key, None)
