//! Data of release 0.1.0 is read and continued: its store, its snapshots, and the tools that its MCP clients
//! know.
//!
//! `fixtures/first-release/README.md` says how the files were made.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use crate::support::released_store::state_with;
use crate::support::{FinishedProgram, done, folder, loopbreak, root};

fn fixture(name: &str) -> PathBuf {
    root().join("crates/loopbreak-cli/tests/fixtures/first-release").join(name)
}

fn state_with_store() -> TempDir {
    state_with(&fixture("loopbreak.db"))
}

fn run(state: &Path, args: &[&str]) -> FinishedProgram {
    done(loopbreak(state).args(args).env("XDG_STATE_HOME", state))
}

fn hook(state: &Path, event: &Value) -> Value {
    let mut command = loopbreak(state);
    command.args(["hook", "claude-code"]).env("XDG_STATE_HOME", state).write_stdin(event.to_string());
    let answer = done(&mut command);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    serde_json::from_str(&answer.out).unwrap_or_default()
}

fn proposed_call(command: &str) -> Value {
    json!({"session_id": "first-release", "hook_event_name": "PreToolUse", "cwd": "/project", "tool_name": "Bash",
           "tool_input": {"command": command}, "tool_use_id": "later"})
}

/// Removes values that depend on the current time.
fn without_times(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|key, _| !matches!(key.as_str(), "seen" | "started" | "ended" | "running"));
            members.values_mut().for_each(without_times);
        }
        Value::Array(items) => items.iter_mut().for_each(without_times),
        _ => {}
    }
}

#[test]
fn status_shows_what_the_first_release_showed() {
    let state = state_with_store();
    let status = run(state.path(), &["status", "--all", "--json"]);
    let mut actual: Value = serde_json::from_str(&status.out).unwrap_or_else(|_| panic!("{}", status.err));
    let mut expected: Value =
        serde_json::from_str(&fs::read_to_string(fixture("status.json")).unwrap()).unwrap();
    without_times(&mut actual);
    without_times(&mut expected);
    assert_eq!(missing_key(&actual, &expected, "status"), None);
}

/// Returns where a value lacks what another one has. Keys may be added.
fn missing_key(actual: &Value, expected: &Value, path: &str) -> Option<String> {
    match (actual, expected) {
        (Value::Object(found), Value::Object(wanted)) => wanted.iter().find_map(|(key, wanted)| {
            let here = format!("{path}.{key}");
            found.get(key).map_or_else(|| Some(here.clone()), |found| missing_key(found, wanted, &here))
        }),
        (Value::Array(found), Value::Array(wanted)) if found.len() == wanted.len() => {
            found.iter().zip(wanted).find_map(|(found, wanted)| missing_key(found, wanted, path))
        }
        _ => (actual != expected).then(|| format!("{path}: {actual} instead of {expected}")),
    }
}

#[test]
fn log_prints_what_the_first_release_printed() {
    let state = state_with_store();
    for (session, file) in [("first-release", "log-hook.jsonl"), ("over-mcp", "log-mcp.jsonl")] {
        let log = run(state.path(), &["log", session, "--json"]);
        assert_eq!(log.out, fs::read_to_string(fixture(file)).unwrap(), "{}", log.err);
    }
}

#[test]
fn a_hook_continues_the_session_from_its_snapshot() {
    let state = state_with_store();
    // The first release refused the call once. The agent insists, so the human is asked.
    let answer = hook(state.path(), &proposed_call("make check"));
    assert_eq!(answer["hookSpecificOutput"]["permissionDecision"], "ask", "{answer}");
    assert_eq!(hook(state.path(), &proposed_call("cat Makefile")), Value::Null, "another call is free");
}

#[test]
fn a_call_that_the_first_release_refused_can_be_allowed() {
    let state = state_with_store();
    let allowed = run(state.path(), &["allow", "last"]);
    assert_eq!(allowed.code, Some(0), "{}", allowed.err);
    assert_eq!(hook(state.path(), &proposed_call("make check")), Value::Null);
}

#[test]
fn tasks_of_its_roadmap_are_listed() {
    let state = state_with_store();
    let tasks = run(state.path(), &["tasks", "list", "--json", "--run", "6ee361ab3ed7"]);
    assert_eq!(tasks.code, Some(0), "{}", tasks.err);
    for task in ["T1", "T2"] {
        assert!(tasks.out.contains(task), "{}", tasks.out);
    }
}

/// Removes texts that may be reworded, and the name of the dialect, which is the default one.
fn without_descriptions(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|key, text| {
                !(matches!(key.as_str(), "description" | "title" | "$schema") && text.is_string())
            });
            members.values_mut().for_each(without_descriptions);
        }
        Value::Array(items) => items.iter_mut().for_each(without_descriptions),
        _ => {}
    }
}

/// Replaces references by their definitions: the internal names of types do not matter.
fn inline_references(value: &Value, definitions: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let definitions = members.get("$defs").unwrap_or(definitions);
            if let Some(reference) = members.get("$ref").and_then(Value::as_str) {
                let name = reference.rsplit('/').next().unwrap_or_default();
                return inline_references(&definitions[name], definitions);
            }
            let members = members.iter().filter(|(key, _)| *key != "$defs");
            members.map(|(key, value)| (key.clone(), inline_references(value, definitions))).collect()
        }
        Value::Array(items) => items.iter().map(|item| inline_references(item, definitions)).collect(),
        other => other.clone(),
    }
}

/// Puts schemas that mean the same into the same form: alternatives of alternatives are alternatives, and a schema with two
/// types is two alternatives.
fn with_plain_alternatives(schema: &Value) -> Value {
    let mut members = match schema {
        Value::Object(members) => members
            .iter()
            .map(|(key, part)| (key.clone(), with_plain_alternatives(part)))
            .collect::<Map<_, _>>(),
        Value::Array(items) => return items.iter().map(with_plain_alternatives).collect(),
        other => return other.clone(),
    };
    let alternatives = match (members.remove("anyOf"), members.remove("type")) {
        (Some(Value::Array(parts)), None) => parts
            .into_iter()
            .flat_map(|part| {
                part.get("anyOf").and_then(Value::as_array).cloned().unwrap_or_else(|| vec![part])
            })
            .collect(),
        (None, Some(Value::Array(names))) => {
            let mut other = Map::new();
            // What is said about an object or a list does not apply to `null`.
            for key in ["properties", "required", "additionalProperties", "items", "minimum"] {
                other.extend(members.remove_entry(key));
            }
            let part = |name: Value| match name.as_str() {
                Some("null") => json!({"type": "null"}),
                _ => Value::Object(std::iter::once(("type".to_owned(), name)).chain(other.clone()).collect()),
            };
            names.into_iter().map(part).collect::<Vec<_>>()
        }
        (any, name) => {
            members.extend(any.map(|any| ("anyOf".to_owned(), any)));
            members.extend(name.map(|name| ("type".to_owned(), name)));
            return Value::Object(members);
        }
    };
    members.insert("anyOf".to_owned(), alternatives.into());
    Value::Object(members)
}

/// Starts the server and returns the line with its tools.
fn list_tools() -> String {
    let state = folder();
    let mut server = Command::new(env!("CARGO_BIN_EXE_loopbreak"))
        .arg("mcp")
        .env_clear()
        .env("XDG_STATE_HOME", state.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut to = server.stdin.take().unwrap();
    let answers = BufReader::new(server.stdout.take().unwrap()).lines();
    let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    writeln!(to, "{}", json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": client})).unwrap();
    writeln!(to, "{}", json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).unwrap();
    writeln!(to, "{}", json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"})).unwrap();
    let is_list = |line: &String| serde_json::from_str::<Value>(line).is_ok_and(|answer| answer["id"] == 2);
    let list = answers.map(Result::unwrap).find(is_list).unwrap();
    drop(to);
    server.wait().unwrap();
    list
}

#[test]
fn the_list_of_tools_has_at_most_12_kb() {
    let list = list_tools();
    assert!(list.len() <= 12_000, "{} bytes: every session of a client loads them", list.len());
}

/// Results are checked against their whole schemas in the scenarios of `mcp.rs`. The list has only their outlines.
fn without_parts(schema: &mut Value) {
    let keep = |property: &Value| match (property.get("type"), property.get("anyOf")) {
        (Some(name), _) => json!({"type": name}),
        _ => json!({"type": ["object", "null"]}),
    };
    if let Some(properties) = schema["properties"].as_object_mut() {
        properties.values_mut().for_each(|property| *property = keep(property));
    }
}

#[test]
fn mcp_tools_take_and_give_what_they_did_in_the_first_release() {
    let mut list: Value = serde_json::from_str(&list_tools()).unwrap();
    let mut tools: Vec<Value> = serde_json::from_value(list["result"]["tools"].take()).unwrap();
    tools.iter_mut().for_each(without_descriptions);
    tools.sort_by_key(|tool| tool["name"].as_str().unwrap_or_default().to_owned());
    let mut expected: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(fixture("mcp-tools.json")).unwrap()).unwrap();
    expected.iter_mut().for_each(without_descriptions);
    for (tool, expected) in tools.iter().zip(&expected) {
        let [tool, expected] = [tool, expected].map(|tool| {
            let mut tool = inline_references(tool, &Value::Null);
            without_parts(&mut tool["outputSchema"]);
            with_plain_alternatives(&tool)
        });
        let name = expected["name"].as_str().unwrap_or_default();
        assert_eq!(incompatibility(&tool, &expected, name), None);
    }
    assert_eq!(tools.len(), expected.len());
}

/// Returns where clients of an earlier release would not understand a schema, if there is such a place. Optional properties
/// and choices may be added. Everything else is as it was: the properties of that release with their types and limits, and
/// what is required.
fn incompatibility(actual: &Value, expected: &Value, path: &str) -> Option<String> {
    let (Value::Object(members), Value::Object(expected_members)) = (actual, expected) else {
        return (actual != expected).then(|| format!("{path}: {actual} instead of {expected}"));
    };
    members.keys().chain(expected_members.keys()).find_map(|key| {
        let here = format!("{path}.{key}");
        let [found, wanted] = [actual, expected].map(|schema| schema.get(key).unwrap_or(&Value::Null));
        match key.as_str() {
            "properties" => missing_property(found, wanted, &here),
            "enum" | "oneOf" | "anyOf" if found.is_array() => missing_choice(found, wanted, &here),
            _ => incompatibility(found, wanted, &here),
        }
    })
}

/// Checks the properties of an earlier release. A new one is optional, because `required` must be equal.
fn missing_property(actual: &Value, expected: &Value, path: &str) -> Option<String> {
    expected.as_object()?.iter().find_map(|(name, property)| {
        let found = actual.get(name).unwrap_or(&Value::Null);
        incompatibility(found, property, &format!("{path}.{name}"))
    })
}

/// Checks that every choice of an earlier release is there, in its order.
fn missing_choice(actual: &Value, expected: &Value, path: &str) -> Option<String> {
    let mut choices = actual.as_array().into_iter().flatten();
    let Some(expected) = expected.as_array() else { return Some(format!("{path}: {actual} is new")) };
    let missing =
        expected.iter().find(|choice| !choices.any(|found| incompatibility(found, choice, path).is_none()));
    missing.map(|choice| format!("{path}: {choice} is missing in {actual}"))
}

#[test]
fn only_optional_additions_to_a_schema_are_compatible() {
    let old = json!({"type": "object", "required": ["a"], "properties": {
        "a": {"type": "string", "enum": ["x", "y"]}, "b": {"type": ["integer", "null"], "minimum": 0}}});
    let changed = |pointer: &str, value: Value| {
        let mut new = old.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        new.pointer_mut(parent).unwrap().as_object_mut().unwrap().insert(key.to_owned(), value);
        incompatibility(&new, &old, "tool").is_none()
    };
    assert!(changed("/properties/c", json!({"type": "boolean"})));
    assert!(changed("/properties/a/enum", json!(["w", "x", "y", "z"])));
    for (pointer, value) in [
        ("/required", json!(["a", "b"])),
        ("/required", json!([])),
        ("/properties", json!({"a": old["properties"]["a"]})),
        ("/properties/a/enum", json!(["x"])),
        ("/properties/a/maxLength", json!(9)),
        ("/properties/b/enum", json!([1, 2])),
        ("/properties/b/type", json!("integer")),
        ("/properties/b/type", json!(["integer", "null", "string"])),
        ("/properties/b/minimum", json!(1)),
        ("/additionalProperties", json!(false)),
    ] {
        assert!(!changed(pointer, value.clone()), "{pointer}: {value}");
    }
}
