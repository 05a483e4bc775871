"""Reads the messages and states of LangChain for `loopbreak.langchain`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langgraph.types import Command

from loopbreak._adapter import add_note, as_text, note

if TYPE_CHECKING:
    from langchain_core.messages import AnyMessage
    from loopbreak import Advice

_SUMMARY_START = "Here is a summary of the conversation"


def messages_of(state: Any) -> Sequence[AnyMessage]:
    """Returns the messages of a state, which may be a list, a dict or an object."""
    if isinstance(state, list):
        return state
    found = state.get("messages") if isinstance(state, dict) else getattr(state, "messages", None)
    return found or []


def text_of(message: Any) -> str:
    """Returns the text of a message, without its pictures and other parts."""
    content = message.content
    if isinstance(content, str):
        return content
    return "\n".join(
        part if isinstance(part, str) else as_text(part.get("text", part)) for part in content
    )


def said_by_user(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Returns the messages of the user behind the last message of another kind."""
    said: list[AnyMessage] = []
    for message in reversed(messages):
        if not isinstance(message, HumanMessage):
            break
        if not is_summary(message):
            said.insert(0, message)
    return said


def is_summary(message: AnyMessage) -> bool:
    """True for the message that stands in place of the messages that were summarized."""
    source = message.additional_kwargs.get("lc_source")
    is_human = isinstance(message, HumanMessage)
    return is_human and (source == "summarization" or text_of(message).startswith(_SUMMARY_START))


def last_of_model(messages: Sequence[AnyMessage]) -> tuple[str, AIMessage | None]:
    """Returns the last message of the model, behind a label for it that no other message of the run has."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        if isinstance(message, AIMessage):
            # The place is part of the label: scripted models use the same id again.
            return f"{message.id}:{index}", message
    return "", None


def answer_of(result: Any) -> tuple[str, bool]:
    """Returns the text of the result of a tool, and true if it failed."""
    answers = list(_answers(result))
    if answers:
        return "\n".join(text_of(one) for one in answers), any(one.status == "error" for one in answers)
    if isinstance(result, Command):
        # A handoff: where it leads to is the outcome.
        return as_text({"goto": repr(result.goto), "update": as_text(result.update)}), False
    return as_text(result), False


def with_note(result: Any, advice: Sequence[Advice]) -> Any:
    """Returns the result of a tool with the advice behind its last answer."""
    if isinstance(result, ToolMessage):
        if isinstance(result.content, str):
            return result.model_copy(update={"content": add_note(result.content, advice)})
        return result.model_copy(
            update={"content": [*result.content, {"type": "text", "text": note(advice)}]}
        )
    if isinstance(result, Command):
        command: Any = result
        if not isinstance(command.update, dict) or not list(_answers(command)):
            return command
        messages = with_note(list(command.update["messages"]), advice)
        return dataclasses.replace(command, update={**command.update, "messages": messages})
    if isinstance(result, list) and result:
        return [*result[:-1], with_note(result[-1], advice)]
    return result


def _answers(result: Any) -> Iterator[ToolMessage]:
    if isinstance(result, ToolMessage):
        yield result
    elif isinstance(result, list):
        for one in result:
            yield from _answers(one)
    elif isinstance(result, Command) and isinstance(result.update, dict):
        yield from _answers(result.update.get("messages") or [])
