"""Sends runs of an agent with the SDK of OpenTelemetry, and writes the same requests to a file.

telemetry_client.py PROTOCOL RUN KIND FILE. The address and the token are in the environment, as in any program with this SDK.
PROTOCOL is grpc, http/protobuf or http/json; KIND is loop, healthy or model-calls.
"""

import base64
import json
import os
import sys
import urllib.request

from google.protobuf.json_format import MessageToDict
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Status, StatusCode

protocol, run, kind, file = sys.argv[1:5]
if protocol == "grpc" and os.environ.get("OTEL_EXPORTER_OTLP_COMPRESSION") == "none":
    # The exporter for gRPC does not know this word.
    del os.environ["OTEL_EXPORTER_OTLP_COMPRESSION"]


def otlp_json(spans):
    """Returns a request in OTLP JSON: like JSON of protobuf, but ids are hexadecimal."""
    request = MessageToDict(encode_spans(spans))
    for resource in request["resourceSpans"]:
        for scope in resource["scopeSpans"]:
            for span in scope["spans"]:
                for key in ("traceId", "spanId", "parentSpanId"):
                    if key in span:
                        span[key] = base64.b64decode(span[key]).hex()
    return json.dumps(request)


class JsonExporter(SpanExporter):
    """Sends OTLP JSON; the SDK for Python has no such exporter."""

    def export(self, spans):
        headers = dict(pair.split("=", 1) for pair in os.environ["OTEL_EXPORTER_OTLP_HEADERS"].split(","))
        headers = {name: value.replace("%20", " ") for name, value in headers.items()}
        url = os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] + "/v1/traces"
        request = urllib.request.Request(
            url, otlp_json(spans).encode(), {"Content-Type": "application/json", **headers})
        with urllib.request.urlopen(request) as answer:
            assert json.load(answer) == {}, "nothing was rejected"
        return SpanExportResult.SUCCESS


class CheckedExporter(SpanExporter):
    """Sends through the exporter of a protocol, fails if it fails, and writes each request to the file."""

    def __init__(self, exporter, out):
        self.exporter, self.out = exporter, out

    def export(self, spans):
        result = self.exporter.export(spans)
        assert result == SpanExportResult.SUCCESS, result
        self.out.write(otlp_json(spans) + "\n")
        return result


if protocol == "grpc":
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as Exporter
elif protocol == "http/protobuf":
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as Exporter
else:
    Exporter = JsonExporter

with open(file, "w", encoding="utf-8") as out:
    provider = TracerProvider(resource=Resource.create({"service.name": "test-agent"}))
    # Each span is a request of its own: children arrive before their parents.
    provider.add_span_processor(SimpleSpanProcessor(CheckedExporter(Exporter(), out)))
    tracer = provider.get_tracer("test-agent")
    with tracer.start_as_current_span("invoke_agent tester") as agent:
        agent.set_attributes({"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": run})
        for number in range(9):
            command = "make" if kind != "healthy" else f"make part{number}"
            messages = [{"role": "assistant", "parts": [
                {"type": "text", "content": f"Next is number {number}."},
                {"type": "tool_call", "id": str(number), "name": "bash", "arguments": {"command": command}}]}]
            with tracer.start_as_current_span("chat model") as chat:
                chat.set_attributes({
                    "gen_ai.operation.name": "chat", "gen_ai.conversation.id": run, "gen_ai.request.model": "model-1",
                    "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 7,
                    "gen_ai.output.messages": json.dumps(messages)})
            if kind == "model-calls":
                continue
            with tracer.start_as_current_span("execute_tool bash") as tool:
                tool.set_attributes({
                    "gen_ai.operation.name": "execute_tool", "gen_ai.conversation.id": run, "gen_ai.tool.name": "bash",
                    "gen_ai.tool.call.arguments": json.dumps({"command": command})})
                if kind == "loop":
                    tool.set_attribute("gen_ai.tool.call.result", "error: no rule to make target 'é'")
                    tool.set_status(Status(StatusCode.ERROR, "error: no rule to make target 'é'"))
                else:
                    tool.set_attribute("gen_ai.tool.call.result", f"part {number} is built, {number * 7} files")
    provider.shutdown()
print("sent")
