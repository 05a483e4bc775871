//! Alerts: conditions that came true, and the messages about them.

/// A condition that came true. It is stored once for each key of its rule and project, whichever server finds it first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewAlert {
    /// Name of the rule.
    pub rule: String,
    /// Kind of the rule, such as `cost_per_day`.
    pub kind: String,
    /// Name of the project, empty for all projects together.
    pub project: String,
    /// Name of the condition: the day, the loop, or [`OPEN_ALERT`] as long as it lasts.
    pub key: String,
    /// Id of the loop, if it is about one.
    pub loop_id: String,
    /// Time, in milliseconds since 1970.
    pub at: i64,
    /// The number that reached the threshold.
    pub value: f64,
    /// The threshold.
    pub threshold: f64,
    /// Title, reason and place, for people.
    pub title: String,
    /// Reason, in one sentence.
    pub reason: String,
    /// Place: a project, a run.
    pub place: String,
    /// The whole of it as JSON, for programs.
    pub detail: String,
    /// Names of the forms in which it is told, such as `slack`.
    pub forms: Vec<String>,
    /// Time after an alert of the rule and the project in which there is no other one, in milliseconds.
    pub quiet: i64,
    /// Largest number of alerts of the rule that are told in an hour. More are stored and not told.
    pub most_an_hour: u64,
}

/// Key of an alert that lasts until [`ServiceStore::end_alert`](super::ServiceStore::end_alert).
pub const OPEN_ALERT: &str = "above";

/// The result of raising an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaisedAlert {
    /// It is new: this server has stored it.
    Raised,
    /// It was stored before.
    Known,
    /// The last one was too short a time ago.
    TooSoon,
}

/// An alert that was stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StoredAlert {
    /// Number of the alert. Later alerts have larger numbers.
    pub id: i64,
    /// Name of the rule.
    pub rule: String,
    /// Kind of the rule.
    pub kind: String,
    /// Name of the project, empty for all projects together.
    pub project: String,
    /// Id of the loop, empty if it is not about one.
    pub loop_id: String,
    /// Time, in milliseconds since 1970.
    pub at: i64,
    /// The number that reached the threshold.
    pub value: f64,
    /// The threshold.
    pub threshold: f64,
    /// Title.
    pub title: String,
    /// Reason, in one sentence.
    pub reason: String,
    /// Place: a project, a run.
    pub place: String,
    /// The whole of it as JSON.
    pub detail: String,
    /// Time from which the number was below the threshold again.
    pub ended: Option<i64>,
    /// The messages about it.
    pub messages: Vec<AlertMessage>,
}

/// A message about an alert.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlertMessage {
    /// Name of its form, such as `slack`.
    pub form: String,
    /// State.
    pub state: MessageState,
    /// Number of attempts that were begun.
    pub attempts: u64,
    /// Time of the last change.
    pub at: i64,
    /// Reason why the last attempt failed. Empty if it did not.
    pub error: String,
}

/// The state of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageState {
    /// It has to be sent, or is being sent.
    #[default]
    Waiting,
    /// The receiver accepted it.
    Told,
    /// It is not sent any more.
    Failed,
}

impl MessageState {
    /// Returns the name in the store and in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            MessageState::Waiting => "waiting",
            MessageState::Told => "told",
            MessageState::Failed => "failed",
        }
    }

    /// Returns the state with a name. One of a later release is not sent here.
    pub(super) fn from_name(name: &str) -> Self {
        match name {
            "waiting" => MessageState::Waiting,
            "told" => MessageState::Told,
            _ => MessageState::Failed,
        }
    }
}

/// A message that a server has taken to send it.
#[derive(Clone, Debug, PartialEq)]
pub struct DueMessage {
    /// Number of the message.
    pub id: i64,
    /// The alert, without its messages.
    pub alert: StoredAlert,
    /// Name of the form.
    pub form: String,
    /// Number of this attempt, from 1.
    pub attempt: u64,
}

/// Result of an attempt to send a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageOutcome {
    /// State after it.
    pub state: MessageState,
    /// Reason why it failed. Empty if it did not.
    pub error: String,
    /// Time of the next attempt, if it is waiting.
    pub due: i64,
}

/// A question about alerts. The latest comes first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlertQuery {
    /// Only the alerts of this project, without those of all projects together.
    pub project: Option<String>,
    /// Only alerts before the one with this number.
    pub before: Option<i64>,
    /// Largest number of alerts.
    pub limit: usize,
}
