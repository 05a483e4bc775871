//! Events of a run, by kind.

use loopbreak::settings::AllowRule;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::connection_end::{self, ConnectionEnd};
use super::{AttemptEvent, RecoveryEvent, RejectedEvent, StepEvent, TaskEvent, VerdictSummary};
use crate::Run;

/// An event of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunEvent {
    /// A step that the guard observed.
    Step(StepEvent),
    /// A message of the user.
    User(StepEvent),
    /// A call that was refused.
    Refused(StepEvent),
    /// A call that a human was asked about.
    Asked(StepEvent),
    /// A call that the agent's own validation rejected.
    Rejected(RejectedEvent),
    /// The agent ended its turn.
    Stop(TurnEndEvent),
    /// The session or the run ended.
    End(RunEndEvent),
    /// The user allowed a call.
    Allowed(AllowedEvent),
    /// An attempt at a task was reported.
    Attempt(AttemptEvent),
    /// A recovery was applied to a task.
    Recovery(RecoveryEvent),
    /// A task was changed by hand.
    Task(TaskEvent),
    /// The user was told something about the guard, such as that a configuration file is not trusted.
    Notice(NoteEvent),
    /// Tasks were added to a roadmap over MCP.
    Plan(NoteEvent),
    /// The runner started or resumed a run.
    Start(NoteEvent),
    /// The runner read a roadmap.
    Roadmap(NoteEvent),
    /// The runner waits because the command failed for reasons outside its work.
    Backoff(BackoffEvent),
    /// The runner waits because no task can be worked on.
    Idle(IdleEvent),
    /// Takes the place of events that cannot be read, because the store is damaged.
    Damaged(NoteEvent),
    /// The process of the agent was paused.
    Paused(NoteEvent),
    /// The process of the agent was resumed.
    Resumed(NoteEvent),
    /// The process of the agent was asked to end.
    Terminated(NoteEvent),
    /// An event of another version of Loopbreak.
    #[serde(untagged)]
    Unknown(UnknownEvent),
}

/// An event with its number and time.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEvent {
    /// Number in the run, from 1.
    pub number: u64,
    /// Time, in milliseconds since 1970.
    pub at: i64,
    /// The event.
    pub event: RunEvent,
}

impl StoredEvent {
    /// Returns the event of a run as one JSON object, the form in which `loopbreak log --json` and the MCP server
    /// show it.
    pub fn to_json(&self, run: &Run) -> Value {
        let mut object = Map::new();
        object.insert("session".to_owned(), run.session.as_str().into());
        object.insert("agent".to_owned(), run.agent.as_str().into());
        object.insert("number".to_owned(), self.number.into());
        object.insert("at".to_owned(), self.at.into());
        object.extend(self.event.to_object());
        Value::Object(object)
    }

    /// Returns the event as [`StoredEvent::to_json`] does, and after it each event of the engine that belongs to it, as an
    /// object of its own whose kind is its name.
    pub fn to_json_lines(&self, run: &Run) -> Vec<Value> {
        let mut own = self.to_json(run);
        let mut lines = Vec::new();
        for event in self.event.engine_events() {
            let mut line = Map::new();
            for key in ["session", "agent", "number", "at"] {
                line.insert(key.to_owned(), own[key].clone());
            }
            line.insert("kind".to_owned(), event["event_type"].clone());
            line.extend(event.as_object().cloned().unwrap_or_default());
            lines.push(Value::Object(line));
        }
        if let Some(own) = own.as_object_mut().filter(|_| !lines.is_empty()) {
            own.remove("events");
        }
        lines.insert(0, own);
        lines
    }
}

/// The end of the agent's turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TurnEndEvent {
    /// Name of the hook event.
    pub event: Option<String>,
    /// A stop hook already kept the agent from stopping.
    pub held: bool,
    /// Last message of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// Verdict and answer.
    #[serde(flatten)]
    pub verdict: VerdictSummary,
}

/// The end of a session or a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunEndEvent {
    /// Name of the hook event, if a hook reported the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// Reason of the runner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Exit code of the runner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<u8>,
    /// Reason why the connection of an MCP client ended.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "connection_end::lenient")]
    pub reason: Option<ConnectionEnd>,
}

/// A call that the user allowed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct AllowedEvent {
    /// Rule that allows it.
    pub rule: AllowRule,
    /// The call on one line.
    pub action: Option<String>,
}

/// An event with nothing but a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NoteEvent {
    /// The event on one line.
    pub action: String,
}

/// A pause after a failure that says nothing about the work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BackoffEvent {
    /// Reason, on one line.
    pub action: String,
    /// Pattern of the failure.
    pub trouble: String,
    /// Number of failures in a row.
    pub times: u32,
}

/// A pause because no task can be worked on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct IdleEvent {
    /// Reason, on one line.
    pub action: String,
    /// Number of pauses in a row.
    pub times: u32,
}

/// An event whose kind or keys this version does not know.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UnknownEvent {
    kind: String,
    /// The other keys.
    #[serde(flatten)]
    pub detail: Map<String, Value>,
}

impl RunEvent {
    /// Reads an event from the columns of a table. This never fails: an unreadable event is an
    /// [`UnknownEvent`].
    pub fn from_columns(kind: &str, detail: &str) -> Self {
        RunEvent::parse_columns(kind, detail).unwrap_or_else(|| RunEvent::from_object(kind, Map::new()))
    }

    /// Reads an event from the columns of a table. Returns `None` if the detail is not a JSON object, as in a damaged store.
    pub(crate) fn parse_columns(kind: &str, detail: &str) -> Option<Self> {
        Some(RunEvent::from_object(kind, serde_json::from_str(detail).ok()?))
    }

    fn from_object(kind: &str, detail: Map<String, Value>) -> Self {
        let mut object = detail.clone();
        object.insert("kind".to_owned(), kind.into());
        serde_json::from_value(Value::Object(object))
            .unwrap_or_else(|_| RunEvent::Unknown(UnknownEvent { kind: kind.to_owned(), detail }))
    }

    /// Returns the columns of a table: the kind, and the other keys as a JSON object.
    pub fn to_columns(&self) -> (String, String) {
        let mut object = self.to_object();
        let kind = object.remove("kind");
        let kind = kind.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
        (kind, Value::Object(object).to_string())
    }

    /// Returns the event as a JSON object with the key `kind`.
    fn to_object(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(object)) => object,
            _ => Map::new(),
        }
    }

    /// Returns the kind, such as `step`.
    pub fn kind(&self) -> &str {
        match self {
            RunEvent::Step(_) => "step",
            RunEvent::User(_) => "user",
            RunEvent::Refused(_) => "refused",
            RunEvent::Asked(_) => "asked",
            RunEvent::Rejected(_) => "rejected",
            RunEvent::Stop(_) => "stop",
            RunEvent::End(_) => "end",
            RunEvent::Allowed(_) => "allowed",
            RunEvent::Attempt(_) => "attempt",
            RunEvent::Recovery(_) => "recovery",
            RunEvent::Task(_) => "task",
            RunEvent::Notice(_) => "notice",
            RunEvent::Plan(_) => "plan",
            RunEvent::Start(_) => "start",
            RunEvent::Roadmap(_) => "roadmap",
            RunEvent::Backoff(_) => "backoff",
            RunEvent::Idle(_) => "idle",
            RunEvent::Damaged(_) => "damaged",
            RunEvent::Paused(_) => "paused",
            RunEvent::Resumed(_) => "resumed",
            RunEvent::Terminated(_) => "terminated",
            RunEvent::Unknown(event) => &event.kind,
        }
    }

    /// Returns the event on one line: the action, or else the message of the user or the agent.
    pub fn headline(&self) -> Option<&str> {
        match self {
            RunEvent::Step(step) | RunEvent::User(step) | RunEvent::Refused(step) | RunEvent::Asked(step) => {
                step.action.as_deref().or(step.user.as_deref()).or(step.said.as_deref())
            }
            RunEvent::Rejected(event) => Some(&event.action),
            RunEvent::Stop(event) => event.said.as_deref(),
            RunEvent::End(event) => {
                event.action.as_deref().or_else(|| event.reason.map(ConnectionEnd::as_str))
            }
            RunEvent::Allowed(event) => event.action.as_deref(),
            RunEvent::Attempt(event) => Some(&event.action),
            RunEvent::Recovery(event) => Some(&event.action),
            RunEvent::Task(event) => Some(&event.action),
            RunEvent::Notice(event)
            | RunEvent::Plan(event)
            | RunEvent::Start(event)
            | RunEvent::Roadmap(event)
            | RunEvent::Damaged(event)
            | RunEvent::Paused(event)
            | RunEvent::Resumed(event)
            | RunEvent::Terminated(event) => Some(&event.action),
            RunEvent::Backoff(event) => Some(&event.action),
            RunEvent::Idle(event) => Some(&event.action),
            RunEvent::Unknown(event) => {
                ["action", "user", "said"].iter().find_map(|key| event.detail.get(*key)?.as_str())
            }
        }
    }

    /// Returns verdict and answer, for the kinds that have them.
    pub fn verdict(&self) -> Option<&VerdictSummary> {
        match self {
            RunEvent::Step(step) | RunEvent::User(step) | RunEvent::Refused(step) | RunEvent::Asked(step) => {
                Some(&step.verdict)
            }
            RunEvent::Rejected(event) => Some(&event.verdict),
            RunEvent::Stop(event) => Some(&event.verdict),
            RunEvent::Attempt(event) => Some(&event.verdict),
            RunEvent::Recovery(event) => Some(&event.verdict),
            _ => None,
        }
    }

    /// Returns the events of the engine that belong to it.
    pub fn engine_events(&self) -> &[Value] {
        match self {
            RunEvent::Step(step) | RunEvent::User(step) | RunEvent::Refused(step) | RunEvent::Asked(step) => {
                &step.events
            }
            RunEvent::Recovery(event) => &event.events,
            _ => &[],
        }
    }

    /// Returns whether the event reports a failed action.
    pub fn is_failure(&self) -> bool {
        match self {
            RunEvent::Step(step) | RunEvent::User(step) | RunEvent::Refused(step) | RunEvent::Asked(step) => {
                step.error == Some(true)
            }
            RunEvent::Rejected(event) => event.error,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One row per kind and writer, as version 0.1 of Loopbreak wrote them.
    const ROWS: [(&str, &str); 24] = [
        (
            "step",
            r#"{"action":"Bash {\"command\":\"make\"}","error":false,"event":"PostToolUse","outcome":"ok","tool":"Bash","turn":3}"#,
        ),
        (
            "step",
            r#"{"action":"Bash {}","answer":"advise","error":true,"event":"PostToolUse","findings":[{"acted":true,"agent":"main","count":3,"detector":"cycle","evidence":{"action":"Bash {}"},"loop":"0123456789abcdef","pattern":"cycle","severity":"warn","since":1,"turn":3}],"outcome":"","text":"Stop.","tool":"Bash","turn":3}"#,
        ),
        ("step", r#"{"turn":1}"#),
        (
            "step",
            r#"{"action":"north","error":false,"outcome":"a wall","said":"I go","tool":"north","turn":2}"#,
        ),
        ("step", r#"{"action":"iteration 1","error":true,"status":"failed with exit code 1","turn":1}"#),
        (
            "step",
            r#"{"action":"task a, done: x","answer":"recover","error":false,"recoveries":[{"intervention":"force_next","pattern":"no_progress_repeat","reason":"why","task":"a"}],"status":"ended","task":"a","text":"why","turn":2}"#,
        ),
        ("user", r#"{"event":"UserPromptSubmit","turn":4,"user":"go on"}"#),
        ("user", r#"{"said":"x","turn":4,"user":"go on"}"#),
        (
            "refused",
            r#"{"action":"Bash {}","answer":"deny","event":"PreToolUse","refused":true,"rule":{"args":"{}","tool":"Bash"},"text":"Refused.","tool":"Bash","turn":8}"#,
        ),
        ("refused", r#"{"action":"x","refused":true,"tool":"x","turn":8}"#),
        (
            "asked",
            r#"{"action":"Bash {}","answer":"ask","event":"PreToolUse","rule":{"args":null,"tool":"Bash"},"text":"Ask.","tool":"Bash","turn":9}"#,
        ),
        (
            "rejected",
            r#"{"action":"Edit {}","error":true,"event":null,"outcome":"no such tool","tool":"Edit","turn":5}"#,
        ),
        ("stop", r#"{"event":"Stop","held":false,"said":"done","turn":6}"#),
        ("stop", r#"{"answer":"continue","event":"Stop","held":true,"text":"Go.","turn":6}"#),
        ("end", r#"{"event":"SessionEnd"}"#),
        ("end", r#"{"action":"complete: all done","code":0}"#),
        ("allowed", r#"{"action":"Bash {}","rule":{"args":"{}","tool":"Bash"}}"#),
        (
            "attempt",
            r#"{"action":"task a: blocked","answer":"loop","check":{"attemptCount":3,"evidence":{},"isLooping":true,"run":"r"},"task":"a","text":"why"}"#,
        ),
        (
            "recovery",
            r#"{"action":"task a: escalate","answer":"escalate","pattern":"blocked_task_spin","recovery":"escalate","task":"a","text":"why"}"#,
        ),
        ("recovery", r#"{"action":"task a is not attempted again: why","task":"a"}"#),
        ("task", r#"{"action":"task a: done","status":"done","task":"a"}"#),
        ("start", r#"{"action":"make"}"#),
        ("backoff", r#"{"action":"rate limit","times":2,"trouble":"rate_limit"}"#),
        ("idle", r#"{"action":"waiting","times":1}"#),
    ];

    #[test]
    fn rows_of_the_first_release_are_read_and_written_without_a_change() {
        for (kind, detail) in ROWS {
            let event = RunEvent::from_columns(kind, detail);
            assert!(!matches!(event, RunEvent::Unknown(_)), "{kind} {detail}");
            assert_eq!(event.kind(), kind);
            assert_eq!(event.to_columns(), (kind.to_owned(), detail.to_owned()));
        }
    }

    #[test]
    fn the_reason_of_an_end_is_read_and_an_unknown_one_is_left_out() {
        let detail = r#"{"reason":"client_left"}"#;
        let event = RunEvent::from_columns("end", detail);
        assert_eq!(event.headline(), Some("the client disconnected"));
        assert_eq!(event.to_columns(), ("end".to_owned(), detail.to_owned()));
        let later = RunEvent::from_columns("end", r#"{"reason":"moved_to_mars"}"#);
        assert_eq!(later, RunEvent::End(RunEndEvent::default()));
    }

    #[test]
    fn an_unknown_kind_keeps_its_keys() {
        let event = RunEvent::from_columns("new", r#"{"action":"x","more":[1]}"#);
        assert_eq!((event.kind(), event.headline()), ("new", Some("x")));
        assert_eq!(event.to_columns(), ("new".to_owned(), r#"{"action":"x","more":[1]}"#.to_owned()));
        for detail in ["", "null", "[1]", "{", r#"{"turn":"three"}"#] {
            assert_eq!(RunEvent::from_columns("step", detail).kind(), "step", "{detail}");
        }
    }
}
