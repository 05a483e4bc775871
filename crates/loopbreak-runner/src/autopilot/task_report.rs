//! Reports of a command on its task: as JSON, on a line of its output, or in the store.

use loopbreak::text::{clip, clip_masked};
use loopbreak_store::StoredAttempt;
use loopbreak_store::tasks::{RoadmapTask, TaskReport, TaskState};
use serde_json::Value;

use crate::prompt::agent_answer::final_message;

/// The prefix of a line of output that contains a report.
pub(crate) const MARK: &str = "LOOPBREAK_RESULT:";
/// The placeholder for the status in the example that the agent is shown.
pub(crate) const EXAMPLE: &str = "\"STATUS\"";
/// Limits: number of reports in one text, number of items in a list, length of an item in bytes.
const MAX_REPORTS: usize = 20;
const MAX_ITEMS: usize = 50;
const ITEM_BYTES: usize = 500;

/// Returns the last report in an output, if there is one. The prompt has such a line as an example; a
/// repeated prompt is not a report.
pub(crate) fn parse_printed_reports(
    output: &str,
    task: &str,
    prompt: &str,
) -> Result<Vec<TaskReport>, String> {
    let message = final_message(output);
    let output = message.as_deref().unwrap_or(output);
    let prompt = prompt.trim();
    let output = if prompt.is_empty() { output.to_owned() } else { output.replace(prompt, "") };
    let bare = |line: &str| line.trim().trim_matches(['*', '`', ' ']).to_owned();
    let is_report = |line: &String| line.starts_with(MARK) && !line.contains(EXAMPLE);
    let line = output.lines().rev().map(bare).find(is_report);
    line.map_or(Ok(Vec::new()), |line| {
        parse_reports(&line[MARK.len()..], task)
            .map_err(|why| format!("the line {MARK} cannot be read: {why}"))
    })
}

/// Returns the reports that reached the store through the MCP tools during the attempt: the last one of each
/// task.
pub(crate) fn reports_from_attempts(attempts: Vec<StoredAttempt>) -> Vec<TaskReport> {
    let mut reports: Vec<TaskReport> = Vec::new();
    for attempt in attempts {
        reports.retain(|known| known.task != attempt.task);
        reports.push(TaskReport {
            task: attempt.task,
            status: attempt.status.parse().ok(),
            blockers: attempt.blockers,
            work: attempt.work,
            ..TaskReport::default()
        });
    }
    reports
}

/// Returns a report for a task that was changed with `loopbreak tasks` during the attempt.
pub(crate) fn report_from_change(task: &RoadmapTask) -> TaskReport {
    TaskReport {
        task: task.id.clone(),
        status: Some(task.status),
        blockers: task.blockers.clone(),
        reason: task.reason.clone(),
        ..TaskReport::default()
    }
}

/// Parses one report or a list of them. A report that names no task is about `task`.
pub(super) fn parse_reports(text: &str, task: &str) -> Result<Vec<TaskReport>, String> {
    let value: Value = serde_json::from_str(text.trim()).map_err(|error| error.to_string())?;
    match value {
        Value::Array(items) if items.len() > MAX_REPORTS => {
            Err(format!("{} reports are too many: at most {MAX_REPORTS}", items.len()))
        }
        Value::Array(items) => items.iter().map(|item| parse_report(item, task)).collect(),
        item => Ok(vec![parse_report(&item, task)?]),
    }
}

fn parse_report(value: &Value, task: &str) -> Result<TaskReport, String> {
    let Value::Object(all) = value else {
        return Err("a report must be an object, as in {\"status\":\"done\"}".to_owned());
    };
    let find = |names: &[&str]| names.iter().find_map(|name| all.get(*name)).filter(|value| !value.is_null());
    let task = match find(&["task", "taskId", "task_id", "id"]) {
        None => task.to_owned(),
        Some(Value::String(id)) => id.trim().to_owned(),
        Some(Value::Number(id)) => id.to_string(),
        Some(_) => return Err("task: expected an id".to_owned()),
    };
    let status = match find(&["status"]) {
        None => None,
        Some(Value::String(name)) => Some(name.parse().ok().ok_or_else(|| {
            format!("status: {:?} is not one of {}", clip(name, 40), TaskState::NAMES.join(", "))
        })?),
        Some(_) => return Err("status: expected a string".to_owned()),
    };
    let reason = match find(&["reason", "message"]) {
        Some(Value::String(text)) => mask_and_truncate(text),
        _ => String::new(),
    };
    Ok(TaskReport {
        task,
        status,
        blockers: parse_list(find(&["blockers"]), "blockers")?,
        work: parse_list(find(&["work", "completedWork", "completed_work"]), "work")?,
        send_back: parse_list(find(&["send_back", "sendBack"]), "send_back")?,
        reason,
    })
}

/// Masks the secrets in a text and truncates it.
fn mask_and_truncate(text: &str) -> String {
    clip_masked(text.trim(), ITEM_BYTES).into_owned()
}

/// Reads a list of strings, or one string.
fn parse_list(value: Option<&Value>, name: &str) -> Result<Vec<String>, String> {
    let text = |value: &Value| match value {
        Value::String(text) => Ok(mask_and_truncate(text)),
        Value::Number(number) => Ok(number.to_string()),
        _ => Err(format!("{name}: expected a list of strings")),
    };
    let texts = match value {
        None => return Ok(Vec::new()),
        Some(Value::Array(items)) => items.iter().take(MAX_ITEMS).map(text).collect(),
        Some(one) => text(one).map(|text| vec![text]),
    }?;
    Ok(texts.into_iter().filter(|text| !text.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_may_be_short_or_long_and_use_the_keys_of_other_orchestrators() {
        let short =
            parse_printed_reports("working\n`LOOPBREAK_RESULT: {\"status\":\"completed\"}`\nbye\n", "a", "")
                .unwrap();
        assert_eq!(
            short,
            [TaskReport { task: "a".into(), status: Some(TaskState::Done), ..TaskReport::default() }]
        );
        let long = r#"[{"taskId":7,"status":"blocked","blockers":"no token","completedWork":["read"]},{"send_back":["b"]}]"#;
        let long = parse_reports(long, "a").unwrap();
        assert_eq!(
            (long[0].task.as_str(), &long[0].blockers[0], &long[0].work[0]),
            ("7", &"no token".into(), &"read".into())
        );
        assert_eq!((long[1].task.as_str(), &long[1].send_back[0]), ("a", &"b".to_owned()));
        let prompt = "Report:\nLOOPBREAK_RESULT: {\"status\":\"done\"}\nThat is all.";
        assert_eq!(parse_printed_reports(&format!("> {prompt}\nI begin"), "a", prompt), Ok(Vec::new()));
        assert_eq!(
            parse_printed_reports("LOOPBREAK_RESULT: {\"status\":\"done\"}", "a", prompt).unwrap().len(),
            1
        );
        assert_eq!(
            parse_printed_reports("> LOOPBREAK_RESULT: {\"status\":\"STATUS\"}", "a", ""),
            Ok(Vec::new())
        );
        assert_eq!(
            parse_printed_reports("I print no LOOPBREAK_RESULT: {} inside a line", "a", ""),
            Ok(Vec::new())
        );
    }

    #[test]
    fn an_invalid_report_is_an_error_and_not_a_panic() {
        for text in [
            "{",
            "1",
            "\"done\"",
            "[1]",
            r#"{"status":"finito"}"#,
            r#"{"status":1}"#,
            r#"{"work":[{}]}"#,
            r#"{"task":[]}"#,
        ] {
            assert!(parse_reports(text, "a").is_err(), "{text}");
        }
        assert!(
            parse_reports(&format!("[{}]", vec!["{}"; 21].join(",")), "a").unwrap_err().contains("too many")
        );
    }

    #[test]
    fn long_lists_and_texts_are_truncated() {
        let items = vec![format!("\"{}\"", "x".repeat(10_000)); 100].join(",");
        let read = parse_reports(&format!("{{\"work\":[{items}]}}"), "a").unwrap();
        assert_eq!((read[0].work.len(), read[0].work[0].len()), (MAX_ITEMS, ITEM_BYTES));
    }
}
