//! Makes recordings small, and free of the texts of agent programs and of what they say about this machine.

use std::path::Path;

use serde_json::{Map, Value};

/// Longest text in a recording, in characters. The texts of parts are shorter; instructions to models are longer.
const MAX_TEXT: usize = 400;
/// Length to which a longer text is cut, in characters.
const CUT_TEXT: usize = 40;
/// Largest number of texts in a list of texts, such as names of tools or lines of instructions.
const MAX_TEXTS: usize = 3;
/// The beginning of the guard's texts, which are kept whole.
const GUARD_TEXT: &str = "Loop guard:";
/// Fields that are long and say nothing about a session.
const DROPPED_FIELDS: [&str; 12] = [
    "tools",
    "system",
    "instructions",
    "systemInstruction",
    "base_instructions",
    "include",
    "shape",
    "encrypted_content",
    "user_agent",
    "environments",
    "snapshot",
    "git",
];

/// Trims recordings of one session.
pub(super) struct LogTrimmer {
    folder: String,
    slug: String,
}

impl LogTrimmer {
    /// Creates a trimmer that replaces the folder of the session.
    pub(super) fn new(session: &Path) -> Self {
        let folder = session.display().to_string();
        // Some agents name folders after the path of the project.
        let slug = folder.replace('/', "-");
        LogTrimmer { folder, slug }
    }

    /// Cuts long texts and lists of texts, and drops fields that say nothing about the session.
    pub(super) fn trim(&self, value: Value) -> Value {
        match value {
            Value::String(text) => self.trim_text(&text).into(),
            Value::Array(mut values) => {
                if values.iter().all(Value::is_string) {
                    values.truncate(MAX_TEXTS);
                }
                values.into_iter().map(|value| self.trim(value)).collect()
            }
            Value::Object(fields) => self.trim_fields(fields),
            other => other,
        }
    }

    /// Replaces the folder of the session.
    fn without_folder(&self, text: &str) -> String {
        text.replace(&self.folder, "/session").replace(&self.slug, "-session")
    }

    fn trim_text(&self, text: &str) -> String {
        let text = self.without_folder(text);
        // Some texts are JSON themselves, such as the arguments of a call.
        if text.starts_with('{')
            && let Ok(inner @ Value::Object(_)) = serde_json::from_str(&text)
        {
            return self.trim(inner).to_string();
        }
        if text.chars().count() <= MAX_TEXT || text.contains(GUARD_TEXT) {
            return text;
        }
        let end = text.char_indices().nth(CUT_TEXT).map_or(text.len(), |(end, _)| end);
        format!("{}…", &text[..end])
    }

    fn trim_fields(&self, fields: Map<String, Value>) -> Value {
        let kept = fields.into_iter().filter(|(name, _)| !DROPPED_FIELDS.contains(&name.as_str()));
        let trimmed = kept.map(|(name, value)| match (name.as_str(), value) {
            // What the agent program attaches for the model, but for what hooks said.
            ("attachment", Value::Object(attachment)) if !is_from_hook(&attachment) => {
                let kind = attachment.into_iter().filter(|(name, _)| name == "type");
                (name, Value::Object(kind.collect()))
            }
            // Some keys are paths.
            (_, value) => (self.without_folder(&name), self.trim(value)),
        });
        Value::Object(trimmed.collect())
    }
}

fn is_from_hook(attachment: &Map<String, Value>) -> bool {
    attachment.get("type").and_then(Value::as_str).is_some_and(|kind| kind.starts_with("hook_"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_of_the_agent_program_are_cut_and_those_of_the_session_are_kept() {
        let trimmer = LogTrimmer::new(Path::new("/tmp/a/b"));
        let long = "x".repeat(500);
        let line = json!({
            "cwd": "/tmp/a/b/project", "file": "-tmp-a-b-project.jsonl", "text": long, "system": "You are",
            "advice": format!("Loop guard: {long}"), "names": ["a", "b", "c", "d"], "numbers": [1, 2, 3, 4],
            "arguments": format!("{{\"path\":\"/tmp/a/b/project/x\",\"tools\":[]}}"),
            "attachment": {"type": "environment", "os": "Linux"}, "/tmp/a/b/project/x": 1,
        });
        let expected = json!({
            "cwd": "/session/project", "file": "-session-project.jsonl", "text": format!("{}…", "x".repeat(40)),
            "advice": format!("Loop guard: {long}"), "names": ["a", "b", "c"], "numbers": [1, 2, 3, 4],
            "arguments": "{\"path\":\"/session/project/x\"}",
            "attachment": {"type": "environment"}, "/session/project/x": 1,
        });
        assert_eq!(trimmer.trim(line), expected);
        let said = json!({"attachment": {"type": "hook_success", "stdout": "ok"}});
        assert_eq!(trimmer.trim(said.clone()), said);
    }
}
