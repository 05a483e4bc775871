//! Telemetry that arrives in requests gives the steps that a file with a request per line gives.

use std::fs;

use loopbreak::{Config, Guard, Step};
use loopbreak_trace::{TelemetryBatch, TelemetryEncoding, TelemetryReader, TelemetrySignal, TelemetryStep};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{fixtures, read};

fn read_json(reader: &mut TelemetryReader, signal: TelemetrySignal, request: &Value) -> TelemetryBatch {
    reader.read(signal, TelemetryEncoding::Json, request.to_string().as_bytes()).unwrap()
}

/// Reads the lines of a fixture as requests. A line with both spans and events becomes two requests.
fn received(text: &str) -> Vec<TelemetryStep> {
    let mut reader = TelemetryReader::default();
    let mut steps = Vec::new();
    for line in text.lines() {
        let request: Value = serde_json::from_str(line).unwrap();
        for (key, signal) in
            [("resourceSpans", TelemetrySignal::Traces), ("resourceLogs", TelemetrySignal::Logs)]
        {
            if let Some(list) = request.get(key) {
                steps.extend(read_json(&mut reader, signal, &json!({key: list})).steps);
            }
        }
    }
    steps.extend(reader.take_held());
    steps
}

fn native(step: &Step<'_>) -> String {
    serde_json::to_string(step).unwrap()
}

fn attribute(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

fn span(id: u64, start: u64, attributes: &[(&str, &str)]) -> Value {
    let attributes: Vec<Value> = attributes.iter().map(|(key, value)| attribute(key, value)).collect();
    json!({"traceId": "aa01", "spanId": format!("{id:016x}"), "parentSpanId": "00000000000000ff",
           "name": "span", "startTimeUnixNano": format!("{start}000000000"), "attributes": attributes})
}

fn traces(spans: &[Value]) -> Value {
    json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
}

/// A model that calls a tool.
fn chat(id: u64, start: u64, command: &str) -> Value {
    let call = json!({"type": "tool_call", "name": "bash", "arguments": {"command": command}});
    let messages = json!([{"role": "assistant", "parts": [{"type": "text", "content": "I look."}, call]}]);
    span(id, start, &[("gen_ai.operation.name", "chat"), ("gen_ai.output.messages", &messages.to_string())])
}

fn tool(id: u64, start: u64, command: &str) -> Value {
    let arguments = json!({"command": command}).to_string();
    span(
        id,
        start,
        &[
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", "bash"),
            ("gen_ai.tool.call.arguments", &arguments),
            ("gen_ai.tool.call.result", "done"),
        ],
    )
}

#[test]
fn requests_give_the_steps_of_a_file_with_a_request_per_line() {
    let mut seen = 0;
    for log in read(&fixtures().join("otel")) {
        if log.name.rsplit_once('.').is_none_or(|(_, extension)| extension != "jsonl") {
            continue;
        }
        let text = fs::read_to_string(fixtures().join(&log.name)).unwrap();
        let live: Vec<String> = received(&text).iter().map(|received| native(&received.step)).collect();
        let file: Vec<String> = log.collected.steps.into_iter().map(|(_, step)| step).collect();
        assert_eq!(live, file, "{}", log.name);
        seen += 1;
    }
    assert_eq!(seen, 8);
}

#[test]
fn loops_of_real_agents_are_found_in_their_telemetry_and_healthy_work_is_not_stopped() {
    for (fixture, is_loop) in [
        ("claude-code-failing-call", true),
        ("codex-failing-call", true),
        ("gemini-cli-failing-call", true),
        ("claude-code-healthy", false),
        ("codex-healthy", false),
        ("gemini-cli-healthy", false),
    ] {
        let text = fs::read_to_string(fixtures().join(format!("otel/{fixture}.jsonl"))).unwrap();
        let mut guard = Guard::new(Config::default());
        let findings: Vec<_> =
            received(&text).iter().flat_map(|received| guard.observe(&received.step).findings).collect();
        let patterns: Vec<String> =
            findings.iter().map(|finding| format!("{} {:?}", finding.turn, finding.pattern)).collect();
        assert_eq!(!patterns.is_empty(), is_loop, "{fixture}: {patterns:?}");
    }
}

#[test]
fn a_request_that_is_sent_again_has_the_same_keys() {
    let text = fs::read_to_string(fixtures().join("otel/claude-code-healthy.jsonl")).unwrap();
    let keys = |text: &str| -> Vec<String> {
        received(text).into_iter().map(|received| received.key.unwrap()).collect()
    };
    let mut unique = keys(&text);
    assert_eq!(keys(&text), unique);
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), keys(&text).len(), "different events have different keys");
    let spans = received(&traces(&[tool(1, 1, "ls")]).to_string());
    assert_eq!(spans[0].key.as_deref(), Some("aa01:0000000000000001"));
}

#[test]
fn calls_in_the_output_of_a_model_wait_until_it_is_known_whether_tools_have_spans() {
    // Tools have spans, which arrive later than the answer of the model.
    let mut reader = TelemetryReader::default();
    let mut take = |request: Value| -> Vec<String> {
        let batch = read_json(&mut reader, TelemetrySignal::Traces, &request);
        batch.steps.iter().map(|received| native(&received.step)).collect()
    };
    assert_eq!(take(traces(&[chat(1, 1, "ls")])).len(), 0);
    let steps = take(traces(&[tool(2, 2, "ls")]));
    assert_eq!(steps.len(), 2, "{steps:?}");
    assert!(steps[0].contains("I look.") && !steps[0].contains("action"), "{steps:?}");
    assert!(steps[1].contains("\"text\":\"done\""), "{steps:?}");
    assert_eq!(take(traces(&[chat(3, 3, "ls")])).len(), 1, "by now it is known");

    // Tools have no spans.
    let mut reader = TelemetryReader::default();
    let first = read_json(&mut reader, TelemetrySignal::Traces, &traces(&[chat(1, 1, "ls")]));
    assert_eq!(first.steps.len(), 0);
    let second = read_json(&mut reader, TelemetrySignal::Traces, &traces(&[chat(2, 2, "pwd")]));
    assert!(native(&second.steps[0].step).contains("\"command\":\"ls\""), "{second:?}");
    assert_eq!(reader.take_held().len(), 1);
    assert_eq!(reader.take_held().len(), 0);
}

#[test]
fn a_batch_that_was_not_recorded_can_be_read_again() {
    let answer = span(
        1,
        1,
        &[
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.usage.input_tokens", "7"),
            ("gen_ai.request.model", "m"),
        ],
    );
    let mut reader = TelemetryReader::default();
    assert_eq!(read_json(&mut reader, TelemetrySignal::Traces, &traces(&[answer])).steps.len(), 0);
    let request = traces(&[tool(2, 2, "ls")]);
    let first = read_json(&mut reader, TelemetrySignal::Traces, &request);
    let expected = native(&first.steps[0].step);
    assert!(expected.contains("\"input_tokens\":7"), "{expected}");
    reader.undo(first);
    let again = read_json(&mut reader, TelemetrySignal::Traces, &request);
    assert_eq!(native(&again.steps[0].step), expected);
}

#[test]
fn calls_without_content_are_never_taken_for_repetitions() {
    let mut guard = Guard::new(Config::default());
    let mut reader = TelemetryReader::default();
    for number in 1..=60 {
        let call =
            span(number, number, &[("gen_ai.operation.name", "execute_tool"), ("gen_ai.tool.name", "bash")]);
        let batch = read_json(&mut reader, TelemetrySignal::Traces, &traces(&[call]));
        assert_eq!((batch.steps.len(), batch.hidden_calls), (1, 1));
        let verdict = guard.observe(&batch.steps[0].step);
        assert!(verdict.findings.is_empty(), "{:?}", verdict.findings);
    }
}

#[test]
fn spans_without_ids_are_counted_and_names_are_short() {
    let mut nameless = tool(1, 1, "ls");
    nameless["spanId"] = "0000000000000000".into();
    let mut long = tool(2, 2, "ls");
    long["attributes"].as_array_mut().unwrap().push(attribute("session.id", &"é\n".repeat(1000)));
    let batch =
        read_json(&mut TelemetryReader::default(), TelemetrySignal::Traces, &traces(&[nameless, long]));
    assert_eq!((batch.invalid, batch.steps.len()), (1, 1));
    let run = batch.steps[0].step.run.as_ref().unwrap().as_text().into_owned();
    assert!(run.len() <= 200 && !run.contains('\n'), "{run}");
}

#[test]
fn bodies_that_are_not_otlp_are_errors() {
    let read = |encoding, body: &[u8]| TelemetryReader::default().read(TelemetrySignal::Logs, encoding, body);
    for body in [
        "",
        "[]",
        "3",
        "{",
        r#"{"resourceLogs":[3]}"#,
        r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[3]}]}]}"#,
    ] {
        assert!(read(TelemetryEncoding::Json, body.as_bytes()).is_err(), "{body}");
    }
    assert!(read(TelemetryEncoding::Json, &[0xff]).is_err());
    assert!(read(TelemetryEncoding::Protobuf, b"{}").is_err());
    assert_eq!(read(TelemetryEncoding::Json, b"{}").unwrap().steps.len(), 0);
    assert_eq!(read(TelemetryEncoding::Protobuf, b"").unwrap().steps.len(), 0);
}

#[test]
fn many_empty_spans_take_little_time() {
    let body =
        format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{}{{}}]}}]}}]}}"#, "{},".repeat(1_000_000));
    let batch = TelemetryReader::default()
        .read(TelemetrySignal::Traces, TelemetryEncoding::Json, body.as_bytes())
        .unwrap();
    assert_eq!(batch.invalid + batch.excess, 1_000_001);
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(body in prop::collection::vec(any::<u8>(), 0..300), json in ".{0,200}") {
        for signal in [TelemetrySignal::Traces, TelemetrySignal::Logs] {
            _ = TelemetryReader::default().read(signal, TelemetryEncoding::Protobuf, &body);
            _ = TelemetryReader::default().read(signal, TelemetryEncoding::Json, json.as_bytes());
        }
    }
}
