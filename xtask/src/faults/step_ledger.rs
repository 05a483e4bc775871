//! The steps that were sent to hooks, to compare with the log.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::trial::TrialHome;

/// A step of the log.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LoggedStep {
    /// The position in the log.
    pub(super) number: u64,
    /// The command of the call, which is different in every step.
    pub(super) call: String,
}

impl LoggedStep {
    /// Reads the log of a session with the program.
    pub(super) fn read(home: &TrialHome, program: &Path, session: &str) -> Result<Vec<Self>, String> {
        Self::parse_all(&home.log(program, session)?)
    }

    /// Parses the steps in the output of `loopbreak log --json`.
    pub(super) fn parse_all(text: &str) -> Result<Vec<Self>, String> {
        let parse = |line: &str| {
            let event: Value = serde_json::from_str(line).map_err(|error| format!("{error}: {line}"))?;
            let number = event["number"].as_u64().ok_or_else(|| format!("no number: {line}"))?;
            let action = event["action"].as_str().unwrap_or_default();
            let arguments = action.split_once(' ').map_or("", |(_, arguments)| arguments);
            let arguments: Value = serde_json::from_str(arguments).unwrap_or_default();
            let call = arguments["command"].as_str().unwrap_or_default().to_owned();
            Ok(LoggedStep { number, call })
        };
        text.lines().map(parse).collect()
    }
}

/// The obligation to have a step in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepFate {
    /// The hook has acknowledged it: once.
    Acknowledged,
    /// The hook was killed, or said that the step was not recorded: at most once.
    Open,
    /// It was acknowledged into a store that was damaged, and put aside with it: at most once.
    PutAside,
}

/// The steps that were sent, by session.
#[derive(Debug, Default)]
pub(super) struct StepLedger {
    sessions: BTreeMap<String, BTreeMap<String, StepFate>>,
}

/// The result of a comparison with the log.
#[derive(Debug, Default)]
pub(super) struct LedgerDifference {
    pub(super) lost: Vec<String>,
    pub(super) twice: Vec<String>,
    /// Calls of the log that were never sent, and gaps in the numbers.
    pub(super) odd: Vec<String>,
}

impl StepLedger {
    pub(super) fn add(&mut self, session: &str, call: &str, fate: StepFate) {
        self.sessions.entry(session.to_owned()).or_default().insert(call.to_owned(), fate);
    }

    /// Marks all steps so far as put aside with their store.
    pub(super) fn put_aside(&mut self) {
        for fate in self.sessions.values_mut().flat_map(BTreeMap::values_mut) {
            *fate = StepFate::PutAside;
        }
    }

    /// Allows the steps of a session to be missing.
    pub(super) fn release(&mut self, session: &str) {
        for fate in self.sessions.get_mut(session).into_iter().flat_map(BTreeMap::values_mut) {
            *fate = StepFate::Open;
        }
    }

    /// Returns the sessions with an acknowledged step.
    pub(super) fn acknowledged_sessions(&self) -> Vec<String> {
        let has_step =
            |steps: &BTreeMap<String, StepFate>| steps.values().any(|fate| *fate == StepFate::Acknowledged);
        self.sessions
            .iter()
            .filter(|(_, steps)| has_step(steps))
            .map(|(session, _)| session.clone())
            .collect()
    }

    /// Compares the steps of a session with the log. If the store was damaged, the numbers may have gaps.
    pub(super) fn compare(&self, session: &str, log: &[LoggedStep], is_damaged: bool) -> LedgerDifference {
        let mut difference = LedgerDifference::default();
        let empty = BTreeMap::new();
        let sent = self.sessions.get(session).unwrap_or(&empty);
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for step in log {
            *counts.entry(&step.call).or_default() += 1;
        }
        for (call, fate) in sent {
            match (counts.get(call.as_str()).copied().unwrap_or(0), fate) {
                (0, StepFate::Acknowledged) => difference.lost.push(format!("{session}/{call}")),
                (0 | 1, _) => {}
                (count, _) => difference.twice.push(format!("{session}/{call} ({count} times)")),
            }
        }
        let rises = log.windows(2).all(|pair| pair[0].number < pair[1].number);
        let has_gap = log.iter().zip(1..).any(|(step, number)| step.number != number);
        if !rises || (has_gap && !is_damaged) {
            let numbers: Vec<u64> = log.iter().map(|step| step.number).collect();
            difference.odd.push(format!("the numbers of {session} are {numbers:?}"));
        }
        if !is_damaged {
            let unknown = counts.keys().filter(|call| !sent.contains_key(**call));
            difference
                .odd
                .extend(unknown.map(|call| format!("{session} has a step that was never sent: {call:?}")));
        }
        difference
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logged(steps: &[(u64, &str)]) -> Vec<LoggedStep> {
        steps.iter().map(|(number, call)| LoggedStep { number: *number, call: (*call).to_owned() }).collect()
    }

    fn ledger() -> StepLedger {
        let mut ledger = StepLedger::default();
        ledger.add("s", "a", StepFate::Acknowledged);
        ledger.add("s", "b", StepFate::Open);
        ledger.add("s", "c", StepFate::Acknowledged);
        ledger
    }

    #[test]
    fn an_open_step_may_be_missing_and_an_acknowledged_one_may_not() {
        let difference = ledger().compare("s", &logged(&[(1, "a"), (2, "c")]), false);
        assert!(difference.lost.is_empty() && difference.twice.is_empty() && difference.odd.is_empty());
        let difference = ledger().compare("s", &logged(&[(1, "a"), (2, "b")]), false);
        assert_eq!(difference.lost, ["s/c"]);
    }

    #[test]
    fn no_step_may_be_there_twice_and_no_number_missing() {
        let difference = ledger().compare("s", &logged(&[(1, "a"), (2, "b"), (3, "b"), (4, "c")]), false);
        assert_eq!(difference.twice, ["s/b (2 times)"]);
        let gap = logged(&[(1, "a"), (3, "c")]);
        assert_eq!(ledger().compare("s", &gap, false).odd, ["the numbers of s are [1, 3]"]);
        assert!(ledger().compare("s", &gap, true).odd.is_empty());
        assert_eq!(ledger().compare("s", &logged(&[(1, "a"), (2, "c"), (3, "x")]), false).odd.len(), 1);
    }

    #[test]
    fn steps_that_were_put_aside_may_be_missing() {
        let mut ledger = ledger();
        ledger.put_aside();
        ledger.add("s", "d", StepFate::Acknowledged);
        let difference = ledger.compare("s", &logged(&[(1, "d")]), false);
        assert!(difference.lost.is_empty() && difference.odd.is_empty(), "{difference:?}");
    }

    #[test]
    fn calls_are_read_from_the_lines_of_the_log() {
        let line = r#"{"action":"Bash {\"command\":\"call-7\"}","kind":"step","number":3}"#;
        assert_eq!(LoggedStep::parse_all(line).unwrap(), logged(&[(3, "call-7")]));
        assert!(LoggedStep::parse_all("{}").is_err() && LoggedStep::parse_all("x").is_err());
    }
}
