//! Measures that Loopbreak took in a run, counted from its events.

use serde::Serialize;

use crate::{RunEvent, StoredEvent};

/// Number of events of one kind that got the same answer. Refused calls are also counted by call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventCount {
    /// Kind of the events.
    pub kind: String,
    /// Answer that they got, such as `deny`.
    pub answer: Option<String>,
    /// The call on one line, if it was refused or a human was asked about it.
    pub action: Option<String>,
    /// Number of events.
    pub count: u64,
    /// Number of the last one in the run.
    pub last: u64,
}

impl EventCount {
    /// Counts events one by one. The store counts faster, unless it is damaged.
    pub(crate) fn count_all(events: &[StoredEvent]) -> Vec<Self> {
        let mut counts: Vec<EventCount> = Vec::new();
        for StoredEvent { number, event, .. } in events {
            let answer = event.verdict().and_then(|verdict| verdict.answer.clone());
            let is_call = matches!(event, RunEvent::Refused(_) | RunEvent::Asked(_));
            let action = event.headline().filter(|_| is_call).map(str::to_owned);
            let known = counts
                .iter_mut()
                .find(|count| count.kind == event.kind() && count.answer == answer && count.action == action);
            match known {
                Some(known) => {
                    known.count += 1;
                    known.last = known.last.max(*number);
                }
                None => counts.push(EventCount {
                    kind: event.kind().to_owned(),
                    answer,
                    action,
                    count: 1,
                    last: *number,
                }),
            }
        }
        counts
    }
}

/// Measures that Loopbreak took in a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RunMeasures {
    /// Number of times that the agent or the user was warned.
    pub warned: u64,
    /// Number of calls that were refused.
    pub refused: u64,
    /// Number of calls that a human was asked about.
    pub asked: u64,
    /// Number of times that the agent was told to stop.
    pub stopped: u64,
    /// Number of calls that the user allowed.
    pub allowed: u64,
}

/// Measures that Loopbreak took against one loop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LoopMeasures {
    /// Number of calls that were refused.
    pub refused: u64,
    /// Number of times that a human was asked.
    pub asked: u64,
    /// Number of times that the agent was told to stop.
    pub stopped: u64,
}

impl RunMeasures {
    /// Counts the measures in the events of a run.
    pub fn from_counts(counts: &[EventCount]) -> Self {
        let sum = |counted: &dyn Fn(&EventCount) -> bool| -> u64 {
            counts.iter().filter(|event| counted(event)).map(|event| event.count).sum()
        };
        RunMeasures {
            warned: sum(&|event| has_answer(event, "advise")),
            refused: sum(&|event| event.kind == "refused"),
            asked: sum(&|event| event.kind == "asked"),
            stopped: sum(&|event| has_answer(event, "stop")),
            allowed: sum(&|event| event.kind == "allowed"),
        }
    }

    /// Adds the measures of another run.
    pub(crate) fn add(&mut self, other: &RunMeasures) {
        self.warned += other.warned;
        self.refused += other.refused;
        self.asked += other.asked;
        self.stopped += other.stopped;
        self.allowed += other.allowed;
    }
}

impl LoopMeasures {
    /// Counts the measures against a loop that repeats a call.
    pub(crate) fn against(action: &str, counts: &[EventCount]) -> Self {
        let same = |event: &&EventCount| !action.is_empty() && event.action.as_deref() == Some(action);
        let counts: Vec<EventCount> = counts.iter().filter(same).cloned().collect();
        let RunMeasures { refused, asked, stopped, .. } = RunMeasures::from_counts(&counts);
        LoopMeasures { refused, asked, stopped }
    }
}

/// Returns whether the agent was told to stop, and the user said nothing after it.
pub(crate) fn is_stopped(counts: &[EventCount]) -> bool {
    let last = |counted: &dyn Fn(&EventCount) -> bool| {
        counts.iter().filter(|event| counted(event)).map(|event| event.last).max()
    };
    let stopped = last(&|event| has_answer(event, "stop"));
    stopped.is_some() && stopped > last(&|event| matches!(event.kind.as_str(), "user" | "allowed"))
}

fn has_answer(event: &EventCount, answer: &str) -> bool {
    event.answer.as_deref() == Some(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(events: &[(&str, &str, u64, u64)]) -> Vec<EventCount> {
        let count = |(kind, answer, count, last): &(&str, &str, u64, u64)| EventCount {
            kind: (*kind).to_owned(),
            answer: (!answer.is_empty()).then(|| (*answer).to_owned()),
            action: matches!(*kind, "refused" | "asked").then(|| "make".to_owned()),
            count: *count,
            last: *last,
        };
        events.iter().map(count).collect()
    }

    #[test]
    fn a_refusal_that_also_stops_the_agent_counts_as_both() {
        let counts = counts(&[
            ("step", "advise", 3, 9),
            ("refused", "deny", 4, 12),
            ("refused", "stop", 1, 16),
            ("asked", "ask", 3, 15),
            ("user", "", 1, 1),
        ]);
        let expected = RunMeasures { warned: 3, refused: 5, asked: 3, stopped: 1, allowed: 0 };
        assert_eq!(RunMeasures::from_counts(&counts), expected);
        assert!(is_stopped(&counts));
        let expected = LoopMeasures { refused: 5, asked: 3, stopped: 1 };
        assert_eq!(LoopMeasures::against("make", &counts), expected);
        assert_eq!(LoopMeasures::against("make all", &counts), LoopMeasures::default());
        assert_eq!(LoopMeasures::against("", &counts), LoopMeasures::default());
    }

    #[test]
    fn a_message_of_the_user_lifts_a_stop() {
        assert!(!is_stopped(&counts(&[("stop", "stop", 1, 5), ("user", "", 2, 6)])));
        assert!(is_stopped(&counts(&[("stop", "stop", 2, 8), ("user", "", 2, 6)])));
        assert!(!is_stopped(&counts(&[("step", "advise", 2, 8)])));
    }
}
