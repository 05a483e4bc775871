//! Differences between the engine's records and the arguments of the tools.
//!
//! The engine reads logs, so it accepts numbers as ids, `null` as an empty list, and keys that it does not know. A
//! client of the tools is better served by an error that names its typo.

use schemars::Schema;
use serde_json::{Map, Value, json};

/// Parts of a step that accept no unknown keys.
const CLOSED: [&str; 3] = ["Critic", "Task", "Usage"];

/// Descriptions of the parts of a step. Those of the engine are longer; every client loads these.
const STEP_TEXTS: [(&str, &str); 20] = [
    (
        "action",
        "Action: a tool call, or a command as text. kind: edit, read, run, search, wait, move or say.",
    ),
    ("agent", "Agent, if the run has several."),
    ("at", "Time: RFC 3339, or ms since 1970. Default: now."),
    ("batch", "Same on calls made in parallel."),
    ("critic", "A critic's score of the action, from 0 to 1."),
    ("destination", "Expected place, by your map."),
    ("harness", "Done by the harness; nobody said it."),
    ("model", "Model of the agent."),
    ("objectives", "Goals: open ones, and those reached now."),
    ("outcome", "Output as text, or an object whose error marks a failure."),
    ("place", "Place after the step."),
    ("progress", "True if the step made progress."),
    ("refused", "True if the action was refused."),
    ("run", "Any name, the same for one job. Default: this connection's run."),
    ("say", "Message or thought of the agent."),
    ("score", "Score after the step."),
    ("task", "Attempt at a task."),
    ("turn", "Number of the step. Default: the next."),
    ("usage", "Tokens and cost of the step."),
    ("user", "Message of the user."),
];
/// Descriptions of the parts of a proposal.
const PROPOSAL_TEXTS: [(&str, &str); 6] = [
    ("action", "Action: a tool call, or a command as text."),
    ("agent", "Agent. Default: the main agent."),
    ("destination", "Where it leads, by your map."),
    ("place", "Place of the agent. Default: the last seen."),
    ("run", "Default: this connection's run."),
    ("score", "A critic's score, from 0 to 1. Default: 1."),
];

/// Turns the schema of a step into that of the arguments of `record_step`.
pub(super) fn step(mut schema: Schema, definitions: &mut Map<String, Value>) -> Schema {
    narrow(definitions);
    let Some(step) = schema.as_object_mut() else { return schema };
    close(step);
    replace(step, "destination", json!({}));
    replace(step, "run", json!({"type": ["string", "null"], "writeOnly": true}));
    for (property, text) in STEP_TEXTS {
        describe(step, property, text);
    }
    schema
}

/// Turns the schema of a proposal into that of the arguments of `weigh_action`.
pub(super) fn proposal(mut schema: Schema, definitions: &mut Map<String, Value>) -> Schema {
    narrow(definitions);
    let Some(proposal) = schema.as_object_mut() else { return schema };
    close(proposal);
    replace(proposal, "score", json!({"type": ["number", "null"], "writeOnly": true}));
    replace(proposal, "destination", json!({}));
    replace(proposal, "run", json!({"type": ["string", "null"], "writeOnly": true}));
    for (property, text) in PROPOSAL_TEXTS {
        describe(proposal, property, text);
    }
    schema
}

/// Restricts the parts of a step to what the tools accept.
fn narrow(definitions: &mut Map<String, Value>) {
    for name in CLOSED {
        if let Some(part) = part(definitions, name) {
            close(part);
        }
    }
    let texts = || json!({"type": "array", "items": {"type": "string"}});
    let any_list = json!({"type": ["array", "null"], "items": true});
    for (name, property, schema) in [
        ("Critic", "score", json!({"type": "number"})),
        ("Objectives", "completed", any_list),
        // Clients rely on the form of the first release. Destinations are an argument of their own.
        ("Place", "exits", json!({"type": ["array", "null"], "items": {"type": "string"}})),
        ("Place", "id", json!({})),
        ("Task", "id", json!({"type": "string"})),
        ("Task", "blockers", texts()),
        ("Task", "work", texts()),
        ("Task", "session", json!({"type": ["string", "null"]})),
    ] {
        if let Some(part) = part(definitions, name) {
            replace(part, property, schema);
        }
    }
    if let Some(critic) = part(definitions, "Critic") {
        critic.insert("required".to_owned(), json!(["score"]));
    }
    if let Some(place) = definitions.get_mut("Place").and_then(|place| place.pointer_mut("/anyOf/0")) {
        *place = json!({"type": "string"});
    }
    definitions.remove("CompletedObjective");
}

/// Returns the schema of a part of a step. A part that may also be a text has two schemas; this is that of the object.
fn part<'d>(definitions: &'d mut Map<String, Value>, name: &str) -> Option<&'d mut Map<String, Value>> {
    let definition = definitions.get_mut(name)?;
    let object =
        if definition.get("anyOf").is_some() { definition.pointer_mut("/anyOf/1")? } else { definition };
    object.as_object_mut()
}

/// Refuses unknown keys.
fn close(object: &mut Map<String, Value>) {
    object.insert("additionalProperties".to_owned(), Value::Bool(false));
}

/// Replaces or adds the schema of a property. Its description stays.
fn replace(object: &mut Map<String, Value>, property: &str, mut schema: Value) {
    let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) else { return };
    if let Some(text) = properties.get(property).and_then(|known| known.get("description")) {
        schema["description"] = text.clone();
    }
    properties.insert(property.to_owned(), schema);
}

/// Sets the description of a property.
fn describe(object: &mut Map<String, Value>, property: &str, text: &str) {
    if let Some(property) = object.get_mut("properties").and_then(|all| all.get_mut(property)) {
        property["description"] = text.into();
    }
}
