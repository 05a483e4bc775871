//! OTLP over HTTP and gRPC, request by request.

use std::io::Write as _;
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use flate2::Compression;
use flate2::write::GzEncoder;
use loopbreak_server::otlp::{TelemetryIntake, otlp_grpc_router, otlp_http_router};
use loopbreak_server::service::{IngestError, ProjectName};
use serde_json::{Value, json};
use tower_service::Service as _;

use crate::memory_sink::MemorySink;

struct OtlpAnswer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
}

impl OtlpAnswer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

struct OtlpClient {
    sink: MemorySink,
    http: axum::Router,
    grpc: axum::Router,
}

impl OtlpClient {
    fn new() -> Self {
        let sink = MemorySink::default();
        let intake = TelemetryIntake::new(sink.clone());
        let project: ProjectName = "team".parse().unwrap();
        let http = otlp_http_router(intake.clone()).layer(Extension(project.clone()));
        OtlpClient { sink, http, grpc: otlp_grpc_router(intake).layer(Extension(project)) }
    }

    fn post(&self, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> OtlpAnswer {
        send(&self.http, path, headers, body)
    }

    fn post_json(&self, path: &str, body: &Value) -> OtlpAnswer {
        self.post(path, &[("content-type", "application/json")], body.to_string().into_bytes())
    }

    fn steps(&self, run: &str) -> usize {
        self.sink.steps("team", run).len()
    }
}

fn send(router: &axum::Router, path: &str, headers: &[(&str, &str)], body: Vec<u8>) -> OtlpAnswer {
    let mut request = Request::post(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::from(body)).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut router = router.clone();
    runtime.block_on(async {
        let (parts, body) = router.call(request).await.unwrap().into_parts();
        let body = to_bytes(body, usize::MAX).await.unwrap().to_vec();
        OtlpAnswer { status: parts.status, headers: parts.headers, body }
    })
}

fn event(name: &str, attributes: &[(&str, &str)]) -> Value {
    let attributes: Vec<Value> =
        attributes.iter().map(|(key, value)| json!({"key": key, "value": {"stringValue": value}})).collect();
    json!({"timeUnixNano": "1762248924000000000", "body": {"stringValue": name}, "attributes": attributes})
}

fn logs(events: &[Value]) -> Value {
    json!({"resourceLogs": [{"scopeLogs": [{"logRecords": events}]}]})
}

fn prompt(run: &str) -> Value {
    logs(&[event("claude_code.user_prompt", &[("session.id", run), ("prompt", "Go on")])])
}

/// A span in protobuf: `execute_tool` with arguments.
fn span_in_protobuf() -> Vec<u8> {
    let field = |number: u8, content: &[u8]| {
        let mut field = vec![number << 3 | 2];
        let length = content.len();
        if length >= 0x80 {
            field.push(length as u8 | 0x80);
        }
        field.push((length >> if length >= 0x80 { 7 } else { 0 }) as u8);
        field.extend(content);
        field
    };
    let attribute = |key: &str, value: &str| {
        let value = field(2, &field(1, value.as_bytes()));
        field(9, &[field(1, key.as_bytes()), value].concat())
    };
    let span = [
        field(1, &[7; 16]),
        field(2, &[9; 8]),
        field(5, b"execute_tool bash"),
        attribute("gen_ai.tool.name", "bash"),
        attribute("gen_ai.tool.call.arguments", "{\"command\":\"ls\"}"),
        attribute("gen_ai.conversation.id", "c-1"),
    ];
    field(1, &field(2, &field(2, &span.concat())))
}

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(body).unwrap();
    encoder.finish().unwrap()
}

const PROTOBUF: (&str, &str) = ("content-type", "application/x-protobuf");
const GZIP: (&str, &str) = ("content-encoding", "gzip");

#[test]
fn protobuf_and_json_are_accepted_plain_and_packed() {
    let client = OtlpClient::new();
    let answer = client.post("/v1/traces", &[PROTOBUF], span_in_protobuf());
    assert_eq!((answer.status, answer.body.len()), (StatusCode::OK, 0));
    assert_eq!(answer.headers["content-type"], "application/x-protobuf");
    assert_eq!(client.steps("c-1"), 1);
    let answer = client.post("/v1/traces", &[PROTOBUF, GZIP], gzip(&span_in_protobuf()));
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(client.steps("c-1"), 1, "the same span again");
    let answer = client.post_json("/v1/logs", &prompt("s-1"));
    assert_eq!((answer.status, answer.json()), (StatusCode::OK, json!({})));
    assert_eq!(client.steps("s-1"), 1);
}

#[test]
fn the_answer_says_which_items_were_not_used() {
    let client = OtlpClient::new();
    let span = json!({"traceId": "", "spanId": "01", "name": "x"});
    let answer =
        client.post_json("/v1/traces", &json!({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}));
    let partial = &answer.json()["partialSuccess"];
    assert_eq!((answer.status, &partial["rejectedSpans"]), (StatusCode::OK, &json!("1")));
    assert!(partial["errorMessage"].as_str().unwrap().contains("trace id"), "{partial}");

    let call =
        event("claude_code.tool_result", &[("session.id", "s"), ("tool_name", "Bash"), ("success", "true")]);
    let answer = client.post_json("/v1/logs", &logs(&[call]));
    let partial = &answer.json()["partialSuccess"];
    assert_eq!(partial["rejectedLogRecords"], "0");
    assert!(partial["errorMessage"].as_str().unwrap().contains("1 tool calls"), "{partial}");

    let answer = client.post("/v1/metrics", &[PROTOBUF], vec![]);
    assert_eq!(answer.status, StatusCode::OK);
    assert!(String::from_utf8_lossy(&answer.body).contains("metrics are not used"));
}

#[test]
fn requests_that_cannot_be_read_get_the_status_of_otlp() {
    let client = OtlpClient::new();
    let json = ("content-type", "application/json");
    let large = gzip(&vec![b' '; 17 << 20]);
    for (headers, body, status) in [
        (vec![json], b"{".to_vec(), StatusCode::BAD_REQUEST),
        (vec![PROTOBUF], b"{}".to_vec(), StatusCode::BAD_REQUEST),
        (vec![json, GZIP], b"{}".to_vec(), StatusCode::BAD_REQUEST),
        (vec![json, GZIP], large, StatusCode::PAYLOAD_TOO_LARGE),
        (vec![json], vec![b' '; 17 << 20], StatusCode::PAYLOAD_TOO_LARGE),
        (vec![("content-type", "text/plain")], b"{}".to_vec(), StatusCode::UNSUPPORTED_MEDIA_TYPE),
        (vec![json, ("content-encoding", "zstd")], b"{}".to_vec(), StatusCode::UNSUPPORTED_MEDIA_TYPE),
        (vec![], b"{}".to_vec(), StatusCode::UNSUPPORTED_MEDIA_TYPE),
    ] {
        let answer = client.post("/v1/logs", &headers, body);
        assert_eq!(answer.status, status, "{headers:?}");
        if !headers.contains(&PROTOBUF) {
            assert!(!answer.json()["message"].as_str().unwrap().is_empty());
        }
    }
    let router = otlp_http_router(TelemetryIntake::new(MemorySink::default()));
    let answer = send(&router, "/v1/logs", &[json], b"{}".to_vec());
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "nobody said which project it is");
}

#[test]
fn a_request_that_could_not_be_stored_is_sent_again_and_counts_once() {
    let client = OtlpClient::new();
    let retry_after = Duration::from_secs(7);
    for (error, status) in [
        (IngestError::Overloaded { retry_after }, StatusCode::TOO_MANY_REQUESTS),
        (
            IngestError::Unavailable { message: "disk".to_owned(), retry_after },
            StatusCode::SERVICE_UNAVAILABLE,
        ),
    ] {
        client.sink.fail(error);
        let answer = client.post_json("/v1/logs", &prompt("s-1"));
        assert_eq!((answer.status, &answer.headers["retry-after"]), (status, &"7".parse().unwrap()));
    }
    for _ in 0..3 {
        assert_eq!(client.post_json("/v1/logs", &prompt("s-1")).status, StatusCode::OK);
    }
    assert_eq!(client.steps("s-1"), 1);
}

#[test]
fn a_step_that_is_refused_does_not_stop_the_others() {
    let client = OtlpClient::new();
    let refused = IngestError::InvalidStep { index: 0, message: "no".to_owned(), hint: String::new() };
    client.sink.fail(refused);
    let events =
        ["a", "b"].map(|run| event("codex.user_prompt", &[("conversation.id", run), ("prompt", "Go")]));
    let answer = client.post_json("/v1/logs", &logs(&events));
    assert_eq!(answer.json()["partialSuccess"], json!({"rejectedLogRecords": "1", "errorMessage": "no"}));
    assert_eq!((client.steps("a"), client.steps("b")), (0, 1));
}

#[test]
fn calls_of_grpc_are_framed_and_failures_have_a_status() {
    let client = OtlpClient::new();
    let path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
    let frame =
        |packed: u8, message: &[u8]| [&[packed][..], &(message.len() as u32).to_be_bytes(), message].concat();
    let kind = ("content-type", "application/grpc");
    let message = span_in_protobuf();
    let answer = send(&client.grpc, path, &[kind], frame(0, &message));
    assert_eq!((answer.status, answer.body), (StatusCode::OK, vec![0; 5]));
    assert_eq!(client.steps("c-1"), 1);
    let answer = send(&client.grpc, path, &[kind, ("grpc-encoding", "gzip")], frame(1, &gzip(&message)));
    assert_eq!(answer.body, vec![0; 5]);

    let status =
        |path: &str, body: Vec<u8>| send(&client.grpc, path, &[kind], body).headers["grpc-status"].clone();
    assert_eq!(status(path, frame(0, b"{}")), "3");
    assert_eq!(status(path, b"\0\0\0\0\x09x".to_vec()), "3");
    assert_eq!(status(path, b"x".to_vec()), "3");
    assert_eq!(status("/some.Service/Call", frame(0, b"")), "12");
    client.sink.fail(IngestError::Overloaded { retry_after: Duration::from_secs(1) });
    let answer = send(&client.grpc, path, &[kind], frame(0, &message));
    assert_eq!((answer.headers["grpc-status"].as_bytes(), answer.body.len()), (&b"14"[..], 0));
}
