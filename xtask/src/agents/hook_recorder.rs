//! Records what an agent tells its hooks, what the hooks answer, and what reaches the model.

use std::fs;
use std::path::{Path, PathBuf};

use loopbreak_hooks::scripted_model::ModelExchange;
use serde_json::{Value, json};

use super::log_trimmer::LogTrimmer;
use super::project_files::{write, write_json_lines};
use crate::chore_failure::ChoreFailure;

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

    /// Writes the program. Each event has files of its own: hooks run in parallel. The name of the files is the time of the
    /// event, and `.lines` has the number of lines that the transcript has by then. A plugin may also start the MCP server, which
    /// is not recorded.
    pub(super) fn install(&self, path: &Path, loopbreak: &Path) -> Result<(), ChoreFailure> {
        let events = self.events();
        fs::create_dir_all(&events).map_err(|error| ChoreFailure::io("create a folder", &error))?;
        let script = format!(
            "#!/bin/sh\n[ \"$1\" = hook ] || exec '{program}' \"$@\"\n\
             file='{}'/$(date +%s%N)-$$\ncat > \"$file.event\"\n\
             log=$(sed -n 's/.*\"transcript_path\": *\"\\([^\"]*\\)\".*/\\1/p' \"$file.event\")\n\
             [ -f \"$log\" ] && wc -l < \"$log\" > \"$file.lines\"\n\
             '{program}' \"$@\" < \"$file.event\" > \"$file.answer\"\nstatus=$?\ncat \"$file.answer\"\nexit $status\n",
            events.display(),
            program = loopbreak.display()
        );
        write(path, &script)?;
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(path, permissions).map_err(|error| ChoreFailure::io("make a program", &error))
    }

    /// Writes the recordings of the session, trimmed: `PART.hooks.jsonl`, `PART.requests.jsonl`, and the logs of the agent as
    /// `PART.log.jsonl`, with a number for further logs.
    pub(super) fn save(
        &self,
        folder: &Path,
        part: &str,
        exchanges: &[ModelExchange],
        logs: &[PathBuf],
    ) -> Result<(), ChoreFailure> {
        let trimmer = LogTrimmer::new(&self.session);
        save_logs(&trimmer, folder, part, logs)?;
        let hooks: Vec<Value> = self.read_events()?;
        let requests: Vec<Value> = exchanges
            .iter()
            .map(|exchange| {
                let body = &exchange.request.body;
                let calls: Vec<&str> = exchange.answer.calls.iter().map(|call| call.tool.as_str()).collect();
                let answer = json!({"text": exchange.answer.text, "calls": calls});
                json!({"path": exchange.request.path, "body": body, "answer": answer})
            })
            .collect();
        for (kind, records) in [("hooks", hooks), ("requests", requests)] {
            let records: Vec<Value> = records.into_iter().map(|record| trimmer.trim(record)).collect();
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
        let events = paths.iter().map(|path| {
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            let nanoseconds: Option<i64> = name.split('-').next().and_then(|time| time.parse().ok());
            let lines = fs::read_to_string(path.with_extension("lines")).unwrap_or_default();
            json!({
                "at": nanoseconds.map(|time| time / 1_000_000),
                "lines": lines.trim().parse::<usize>().ok(),
                "event": parse(path),
                "answer": parse(&path.with_extension("answer")),
            })
        });
        Ok(events.collect())
    }
}

/// Writes the logs, line by line, so that the numbers of lines that were noted stay right. A document is one line.
fn save_logs(trimmer: &LogTrimmer, folder: &Path, part: &str, logs: &[PathBuf]) -> Result<(), ChoreFailure> {
    for (number, log) in logs.iter().enumerate() {
        let text = fs::read_to_string(log)
            .map_err(|error| ChoreFailure::io(format_args!("read {}", log.display()), &error))?;
        let parse = |text: &str| serde_json::from_str::<Value>(text);
        let lines = match parse(&text) {
            Ok(document) => vec![document],
            Err(_) => text.lines().map(|line| parse(line).unwrap_or_else(|_| line.into())).collect(),
        };
        let lines: Vec<Value> = lines.into_iter().map(|line| trimmer.trim(line)).collect();
        let number = if number == 0 { String::new() } else { format!("-{}", number + 1) };
        write_json_lines(&folder.join(format!("{part}.log{number}.jsonl")), &lines)?;
    }
    Ok(())
}
