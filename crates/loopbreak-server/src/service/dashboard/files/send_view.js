// How to send runs to this server.

import { el, show } from "./dom.js";

export async function sendView(place) {
  const server = location.origin;
  const step = '{"run":"first","action":"make test","outcome":{"text":"1 failed","error":true}}';
  show(place,
    el("h1", {}, "Send the first run"),
    el("p", {}, "Loopbreak is running. This page shows runs as they arrive. In a terminal on the machine of the server:"),
    el("pre", {}, `TOKEN=$(loopbreak serve --print-token)\ncurl ${server}/v1/steps \\\n  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\\n  -d '${step}'`),
    el("p", {}, "The answer is the verdict of the guard. Send the step three times, and it warns."),
    el("h2", {}, "Agents with telemetry"),
    el("p", {}, "Programs with OpenTelemetry send their steps by themselves if these variables are set:"),
    el("pre", {}, `OTEL_EXPORTER_OTLP_ENDPOINT=${server}\nOTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf\nOTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20$TOKEN"`),
    el("p", {}, el("code", {}, "loopbreak token create"), " makes a token for a project. ", el("a", { href: "/openapi.json" }, "openapi.json"), " describes the API."));
  return {};
}
