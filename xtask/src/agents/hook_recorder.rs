//! Records what an agent tells its hooks, what the hooks answer, and what reaches the model.

use std::fs;
use std::path::{Path, PathBuf};

use loopbreak_hooks::scripted_model::ModelExchange;
use serde_json::{Value, json};

use super::project_files::{write, write_json_lines};
use crate::chore_failure::ChoreFailure;

/// Longest text in a recording, in characters.
const MAX_TEXT: usize = 1_200;
/// Fields of requests that are long and the same in all of them.
const LONG_FIELDS: [&str; 5] = ["tools", "system", "instructions", "systemInstruction", "include"];

/// A program in front of `loopbreak` that keeps each event with its answer.
pub(super) struct HookRecorder {
    session: PathBuf,
}

impl HookRecorder {
    /// Creates the recorder of a session, from the folder of the session.
    pub(super) fn new(session: &Path) -> Self {
        HookRecorder { session: session.to_owned() }
    }

    fn events(&self) -> PathBuf {
        self.session.join("events")
    }

    /// Writes the program. Each event has files of its own: hooks run in parallel. A plugin may also start the MCP server,
    /// which is not recorded.
    pub(super) fn install(&self, path: &Path, loopbreak: &Path) -> Result<(), ChoreFailure> {
        let events = self.events();
        fs::create_dir_all(&events).map_err(|error| ChoreFailure::io("create a folder", &error))?;
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = hook ] || exec '{program}' \"$@\"\n\
             file='{}'/$(date +%s%N)-$$\ncat > \"$file.event\"\n\
             '{program}' \"$@\" < \"$file.event\" > \"$file.answer\"\nstatus=$?\ncat \"$file.answer\"\nexit $status\n",
            events.display(),
            program = loopbreak.display()
        );
        write(path, &script)?;
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(path, permissions).map_err(|error| ChoreFailure::io("make a program", &error))
    }

    /// Writes the recordings of the session, trimmed: `PART.hooks.jsonl` and `PART.requests.jsonl`.
    pub(super) fn save(
        &self,
        folder: &Path,
        part: &str,
        exchanges: &[ModelExchange],
    ) -> Result<(), ChoreFailure> {
        let hooks: Vec<Value> = self.read_events()?;
        let requests: Vec<Value> = exchanges
            .iter()
            .map(|exchange| {
                let mut body = exchange.request.body.clone();
                if let Some(body) = body.as_object_mut() {
                    body.retain(|name, _| !LONG_FIELDS.contains(&name.as_str()));
                }
                let calls: Vec<&str> = exchange.answer.calls.iter().map(|call| call.tool.as_str()).collect();
                let answer = json!({"text": exchange.answer.text, "calls": calls});
                json!({"path": exchange.request.path, "body": body, "answer": answer})
            })
            .collect();
        for (kind, records) in [("hooks", hooks), ("requests", requests)] {
            let records: Vec<Value> = records.into_iter().map(|record| self.trim(record)).collect();
            write_json_lines(&folder.join(format!("{part}.{kind}.jsonl")), &records)?;
        }
        Ok(())
    }

    fn read_events(&self) -> Result<Vec<Value>, ChoreFailure> {
        let failed = |error: &std::io::Error| ChoreFailure::io("read the recorded events", error);
        let entries: Result<Vec<_>, _> =
            fs::read_dir(self.events()).map_err(|error| failed(&error))?.collect();
        let paths = entries.map_err(|error| failed(&error))?.into_iter().map(|entry| entry.path());
        let mut paths: Vec<PathBuf> =
            paths.filter(|path| path.extension().is_some_and(|end| end == "event")).collect();
        paths.sort();
        let parse = |path: &Path| {
            let text = fs::read_to_string(path).unwrap_or_default();
            serde_json::from_str(&text).unwrap_or(if text.is_empty() { Value::Null } else { text.into() })
        };
        let events = paths
            .iter()
            .map(|path| json!({"event": parse(path), "answer": parse(&path.with_extension("answer"))}));
        Ok(events.collect())
    }

    /// Cuts long texts, and replaces the folder of the session.
    fn trim(&self, value: Value) -> Value {
        match value {
            Value::String(text) => {
                let folder = self.session.display().to_string();
                // Some agents name folders after the path of the project.
                let text = text.replace(&folder, "/session").replace(&folder.replace('/', "-"), "-session");
                match text.char_indices().nth(MAX_TEXT) {
                    Some((end, _)) => format!("{}…", &text[..end]).into(),
                    None => text.into(),
                }
            }
            Value::Array(values) => values.into_iter().map(|value| self.trim(value)).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(name, value)| (name, self.trim(value))).collect()
            }
            other => other,
        }
    }
}
