//! Runs, and changes of them.

use serde::Serialize;

use crate::{NewUnsentStep, RunEvent, RunRecords, SessionCost};

/// Identifies a run: the agent program, its session, and the subagent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RunKey {
    /// The program, such as `claude-code`.
    pub source: String,
    /// The program's name for the session. Any text: it never becomes part of a path.
    pub session: String,
    /// The subagent, empty for the main agent.
    pub agent: String,
}

/// A stored run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Run {
    /// Number of the run in this store.
    #[serde(skip)]
    pub id: i64,
    /// The program.
    pub source: String,
    /// Session of the program.
    pub session: String,
    /// The subagent, empty for the main agent.
    pub agent: String,
    /// Folder that the agent works in.
    pub folder: String,
    /// Time when the run was first seen, in milliseconds since 1970.
    pub started: i64,
    /// Time when the run was last seen.
    pub seen: i64,
    /// Time when the run ended, if its end was reported.
    pub ended: Option<i64>,
    /// Number of events.
    pub events: u64,
}

impl Run {
    /// Returns the key of the run.
    pub fn key(&self) -> RunKey {
        let Run { source, session, agent, .. } = self.clone();
        RunKey { source, session, agent }
    }

    /// Returns the name for people: the session, and the subagent if it is one.
    pub fn name(&self) -> String {
        if self.agent.is_empty() { self.session.clone() } else { format!("{} {}", self.session, self.agent) }
    }
}

/// A change of a run, written as a whole or not at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunChange {
    /// New state as JSON. `None` keeps the current one.
    pub state: Option<String>,
    /// New events, in order.
    pub events: Vec<RunEvent>,
    /// New tasks, attempts, context entries and recoveries.
    pub records: RunRecords,
    /// The run has ended. A run that had already ended keeps the time of its end.
    pub ended: bool,
    /// Cost of the run so far, if that has changed. Its session and its part are those of the run.
    pub cost: Option<SessionCost>,
    /// Steps that have to be sent to a server, in order.
    pub unsent: Vec<NewUnsentStep>,
}

impl From<RunEvent> for RunChange {
    fn from(event: RunEvent) -> Self {
        RunChange { events: vec![event], ..RunChange::default() }
    }
}
