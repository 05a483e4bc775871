//! Alerts as the API returns them.

use loopbreak_store::service::{AlertMessage, StoredAlert};
use schemars::JsonSchema;
use serde::Serialize;

/// An alert.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AlertOutput {
    /// Number of the alert. Later alerts have larger numbers.
    id: i64,
    /// Name of the rule.
    rule: String,
    /// `cost_per_day`, `cost_per_minute`, `findings_per_hour` or `new_loop`.
    kind: String,
    /// Project, null for all projects together.
    project: Option<String>,
    /// Id of the loop, null if it is not about one.
    #[serde(rename = "loop")]
    loop_id: Option<String>,
    /// Time, in milliseconds since 1970.
    at: i64,
    /// Time from which the number was below the threshold again, null if it has none or is not.
    ended: Option<i64>,
    /// The number that reached the threshold, null for a new loop.
    value: Option<f64>,
    /// The threshold, null for a new loop.
    threshold: Option<f64>,
    /// Reason, in one sentence.
    reason: String,
    /// Place: a project, a run.
    place: String,
    /// The messages. None if the rule has no address, or too many alerts were told within an hour.
    messages: Vec<MessageOutput>,
}

/// A message about an alert.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MessageOutput {
    /// `webhook`, `slack` or `ntfy`.
    form: String,
    /// `waiting`, `told` or `failed`.
    state: String,
    /// Number of attempts.
    attempts: u64,
    /// Time of the last change, in milliseconds since 1970.
    at: i64,
    /// Reason why the last attempt failed, null if it did not.
    error: Option<String>,
}

/// A page of alerts, the latest first.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AlertPage {
    /// The alerts.
    pub(super) alerts: Vec<AlertOutput>,
    /// The `cursor` of the next page, null on the last one.
    pub(super) next: Option<String>,
}

impl From<StoredAlert> for AlertOutput {
    fn from(alert: StoredAlert) -> Self {
        let some = |text: String| Some(text).filter(|text| !text.is_empty());
        let number = |number: f64| (alert.threshold > 0.0).then_some(number);
        AlertOutput {
            id: alert.id,
            value: number(alert.value),
            threshold: number(alert.threshold),
            rule: alert.rule,
            kind: alert.kind,
            project: some(alert.project),
            loop_id: some(alert.loop_id),
            at: alert.at,
            ended: alert.ended,
            reason: alert.reason,
            place: alert.place,
            messages: alert.messages.into_iter().map(MessageOutput::from).collect(),
        }
    }
}

impl From<AlertMessage> for MessageOutput {
    fn from(message: AlertMessage) -> Self {
        MessageOutput {
            form: message.form,
            state: message.state.as_str().to_owned(),
            attempts: message.attempts,
            at: message.at,
            error: Some(message.error).filter(|error| !error.is_empty()),
        }
    }
}
