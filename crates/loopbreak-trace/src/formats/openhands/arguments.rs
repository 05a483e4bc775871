//! The arguments of an action, and the exit code of an observation.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::log_format::LogUnit;
use crate::message::walk_document;

/// The arguments of an action, without the thoughts of the agent and the notes of the program.
#[derive(Debug, Default)]
pub(super) struct OpenHandsArguments {
    pub(super) content: Option<String>,
    pub(super) thought: Option<String>,
    pub(super) final_thought: Option<String>,
    pub(super) rest: Option<Box<RawValue>>,
}

impl OpenHandsArguments {
    pub(super) fn parse(json: &RawValue) -> Self {
        const NOTES: [&str; 8] = [
            "thought",
            "hidden",
            "confirmation_state",
            "security_risk",
            "is_static",
            "blocking",
            "cwd",
            "task_completed",
        ];
        // Keys keep their order.
        let mut kept = String::new();
        let mut arguments = OpenHandsArguments::default();
        let read = walk_document(LogUnit { text: json.get(), line: 1, file: None }, &[], &mut |part| {
            let text = || serde_json::from_str::<String>(part.json.get()).ok();
            match &*part.key {
                "thought" => arguments.thought = text(),
                "content" => arguments.content = text(),
                "final_thought" => arguments.final_thought = text(),
                _ => {}
            }
            if part.json.get() != "null"
                && !NOTES.contains(&&*part.key)
                && let Ok(key) = serde_json::to_string(&*part.key)
            {
                kept.push(if kept.is_empty() { '{' } else { ',' });
                kept.push_str(&key);
                kept.push(':');
                kept.push_str(part.json.get());
            }
        });
        if read.is_ok() && !kept.is_empty() {
            kept.push('}');
            arguments.rest = RawValue::from_string(kept).ok();
        }
        arguments
    }
}

/// Returns the exit code of a command.
pub(super) fn exit_code(extras: &RawValue) -> Option<i64> {
    #[derive(Deserialize)]
    struct ObservationExtras {
        exit_code: Option<i64>,
        metadata: Option<ExtrasMetadata>,
    }
    #[derive(Deserialize)]
    struct ExtrasMetadata {
        exit_code: Option<i64>,
    }
    let extras: ObservationExtras = serde_json::from_str(extras.get()).ok()?;
    extras.exit_code.or(extras.metadata.and_then(|metadata| metadata.exit_code))
}
