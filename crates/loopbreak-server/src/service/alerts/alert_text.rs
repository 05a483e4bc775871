//! Texts about an alert. Secrets are masked, and every text is short and on one line.

use loopbreak::settings::{AlertKind, AlertRule};
use loopbreak::text::{clip_masked, printable};
use loopbreak_notify::NotificationText;
use loopbreak_store::service::{LoopIssue, NewAlert, OPEN_ALERT};
use serde_json::json;

/// The name and version of the JSON form.
const SCHEMA: &str = "loopbreak.alert/1";
/// Longest text in the JSON form, in bytes.
const TEXT_BYTES: usize = 600;
/// Number of alerts of a rule that are told in an hour. More are only listed: nobody reads them.
const MOST_AN_HOUR: u64 = 20;

/// Describes that a number has reached the threshold of a rule. `key` makes it the same alert.
pub(super) fn number_alert(rule: &AlertRule, key: &str, value: f64, now: i64) -> NewAlert {
    let threshold = rule.threshold.unwrap_or_default();
    let project = rule.project.as_deref().unwrap_or_default();
    let money = |dollars: f64| format!("${dollars:.2}");
    let reason = match rule.kind {
        AlertKind::CostPerDay => {
            format!("{} were spent since midnight UTC; the threshold is {}", money(value), money(threshold))
        }
        AlertKind::CostPerMinute => format!(
            "{} a minute were spent in the last 10 minutes; the threshold is {}",
            money(value),
            money(threshold)
        ),
        _ => format!("{value} findings in the last hour; the threshold is {threshold}"),
    };
    let place = if project.is_empty() { "all projects".to_owned() } else { format!("project {project}") };
    let text = NotificationText::new(&format!("Loopbreak: {}", rule.name), &reason, &place);
    let detail = json!({
        "schema": SCHEMA, "rule": plain(&rule.name), "kind": rule.kind.as_str(), "project": rule.project, "at": now,
        "value": value, "threshold": threshold, "reason": text.reason,
    });
    let quiet = if key == OPEN_ALERT { i64::try_from(rule.quiet.millis).unwrap_or(i64::MAX) } else { 0 };
    NewAlert {
        project: project.to_owned(),
        key: key.to_owned(),
        value,
        threshold,
        detail: detail.to_string(),
        quiet,
        ..alert_of(rule, text, now)
    }
}

/// Describes a loop that is new, or was fixed and is back.
pub(super) fn loop_alert(rule: &AlertRule, known: &LoopIssue, now: i64) -> NewAlert {
    let is_back = known.opened > known.first_seen;
    let what = if is_back { "a loop that was fixed is back" } else { "a new loop" };
    let action = if known.action.is_empty() { String::new() } else { format!(": {}", known.action) };
    let reason = format!("{what}: {}: {}{action}", known.detector, known.reason);
    let place = format!("project {}, run {}, loop {}", known.project, known.last_run, known.loop_id);
    let text = NotificationText::new(&format!("Loopbreak: {}", rule.name), &reason, &place);
    let detail = json!({
        "schema": SCHEMA, "rule": plain(&rule.name), "kind": rule.kind.as_str(), "project": known.project, "at": now,
        "loop": known.loop_id, "is_back": is_back, "detector": known.detector, "pattern": known.pattern,
        "severity": known.severity, "tool": plain(&known.tool), "action": plain(&known.action),
        "run": plain(&known.last_run), "reason": text.reason,
    });
    NewAlert {
        project: known.project.clone(),
        key: format!("{}@{}", known.loop_id, known.opened),
        loop_id: known.loop_id.clone(),
        detail: detail.to_string(),
        ..alert_of(rule, text, now)
    }
}

fn alert_of(rule: &AlertRule, text: NotificationText, now: i64) -> NewAlert {
    NewAlert {
        rule: rule.name.clone(),
        kind: rule.kind.as_str().to_owned(),
        at: now,
        title: text.title,
        reason: text.reason,
        place: text.place,
        forms: rule.addresses().map(|(form, _)| form.to_owned()).collect(),
        most_an_hour: MOST_AN_HOUR,
        ..NewAlert::default()
    }
}

fn plain(text: &str) -> String {
    printable(&clip_masked(text, TEXT_BYTES))
}
