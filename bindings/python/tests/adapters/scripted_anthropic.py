"""A model on the loopback address that speaks the Messages API of Anthropic and follows a script."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = list[dict[str, Any]]
Script = Callable[[list[dict[str, Any]]], Answer]


def call(name: str, args: dict[str, Any]) -> dict[str, Any]:
    """Returns the block of a call. The server gives it its id."""
    return {"type": "tool_use", "name": name, "input": args}


def say(text: str) -> dict[str, Any]:
    """Returns the block of a text."""
    return {"type": "text", "text": text}


class ScriptedAnthropic:
    """The server. `script` gets the messages of a request, and returns the blocks of the answer."""

    def __init__(self, script: Script) -> None:
        self.requests: list[dict[str, Any]] = []
        self._number = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("content-length") or 0)
                body = json.loads(self.rfile.read(length) or b"{}")
                if "count_tokens" in self.path:
                    return self._send("application/json", json.dumps({"input_tokens": 10}))
                outer.requests.append(body)
                outer._number += 1
                # Requests without tools are for titles and the like.
                blocks = script(body["messages"]) if body.get("tools") else [say("ok")]
                blocks = [
                    {**block, "id": f"toolu_{outer._number}_{at}"} if block["type"] == "tool_use" else block
                    for at, block in enumerate(blocks)
                ]
                message = _message(body.get("model", "m"), blocks, outer._number)
                if body.get("stream"):
                    self._send("text/event-stream", _stream(message))
                else:
                    self._send("application/json", json.dumps(message))

            def do_GET(self) -> None:
                self._send("application/json", "{}")

            do_HEAD = do_GET

            def _send(self, kind: str, body: str) -> None:
                data = body.encode()
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> ScriptedAnthropic:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *args: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def environment(self) -> dict[str, str]:
        """The variables with which Claude Code talks to this model and to nothing else."""
        return {
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": "scripted",
            "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def seen_by_model(self) -> str:
        """Returns all that the model has read in its last request."""
        asked = [request for request in self.requests if request.get("tools")]
        return json.dumps(asked[-1]["messages"]) if asked else ""


def _message(model: str, blocks: Answer, number: int) -> dict[str, Any]:
    reason = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": blocks,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 100, "output_tokens": 10},
    }


def _stream(message: dict[str, Any]) -> str:
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    ]
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 10}})
    events.append({"type": "message_stop"})
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
