//! The expectation about a session.

use std::fmt;

use super::observation::{SessionEnding, SessionObservation};

/// When something has to happen, in rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RoundRange {
    /// It does not matter.
    Any,
    /// Not at all.
    Never,
    /// At one of these rounds.
    Within(usize, usize),
}

/// The expectation about a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SessionExpectation {
    /// When advice reaches the model.
    pub(super) told: RoundRange,
    /// When the first call is refused.
    pub(super) refused: RoundRange,
    /// The least and the largest number of calls that are carried out.
    pub(super) ran: (usize, usize),
    /// The endings that are right.
    pub(super) endings: &'static [SessionEnding],
    /// The largest number of requests.
    pub(super) requests: usize,
    /// The agent compacts the conversation.
    pub(super) compacts: bool,
}

impl RoundRange {
    fn contains(self, seen: Option<usize>) -> bool {
        match (self, seen) {
            (RoundRange::Any, _) | (RoundRange::Never, None) => true,
            (RoundRange::Never, Some(_)) | (RoundRange::Within(..), None) => false,
            (RoundRange::Within(first, last), Some(round)) => (first..=last).contains(&round),
        }
    }
}

impl SessionExpectation {
    /// Lists how a session differs from what is expected. An empty list is a pass.
    pub(super) fn faults(&self, seen: &SessionObservation) -> Vec<String> {
        let mut faults = Vec::new();
        if seen.ending == SessionEnding::Silent {
            return vec![
                "the agent asked the model nothing: see `stdout` and `stderr` in the folder".to_owned(),
            ];
        }
        if self.compacts && seen.summaries == 0 {
            faults.push("the conversation was not compacted".to_owned());
        }
        if !self.told.contains(seen.told) {
            faults.push(format!("advised {}, expected {}", show_round(seen.told), self.told.sentence()));
        }
        if !self.refused.contains(seen.refused) {
            faults.push(format!(
                "refused {}, expected {}",
                show_round(seen.refused),
                self.refused.sentence()
            ));
        }
        if seen.insisted.is_some() && seen.insisted == seen.refused {
            faults.push("called an insistence in the round of the first refusal".to_owned());
        }
        if !(self.ran.0..=self.ran.1).contains(&seen.ran) {
            faults.push(format!("{} calls were carried out, expected {}", seen.ran, show_range(self.ran)));
        }
        if !self.endings.contains(&seen.ending) {
            let endings: Vec<String> = self.endings.iter().map(ToString::to_string).collect();
            faults.push(format!("the session was {}, expected {}", seen.ending, endings.join(" or ")));
        }
        if seen.requests > self.requests {
            faults.push(format!("{} requests, expected at most {}", seen.requests, self.requests));
        }
        faults
    }
}

impl RoundRange {
    fn sentence(self) -> String {
        match self {
            RoundRange::Any => "anything".to_owned(),
            RoundRange::Never => "never".to_owned(),
            RoundRange::Within(..) => format!("at call {self}"),
        }
    }
}

fn show_round(seen: Option<usize>) -> String {
    seen.map_or_else(|| "never".to_owned(), |round| format!("at call {round}"))
}

/// Renders a range of counts.
pub(super) fn show_range((first, last): (usize, usize)) -> String {
    match (first, last) {
        (first, usize::MAX) => format!("{first}+"),
        (first, last) if first == last => format!("{first}"),
        (first, last) => format!("{first}-{last}"),
    }
}

impl fmt::Display for RoundRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RoundRange::Any => f.pad("any"),
            RoundRange::Never => f.pad("-"),
            RoundRange::Within(first, last) => f.pad(&show_range((*first, *last))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: SessionObservation = SessionObservation {
        told: Some(3),
        refused: Some(8),
        insisted: Some(9),
        rounds: 10,
        calls: 10,
        ran: 7,
        requests: 11,
        summaries: 0,
        ending: SessionEnding::Finished,
    };
    const EXPECTED: SessionExpectation = SessionExpectation {
        told: RoundRange::Within(3, 4),
        refused: RoundRange::Within(5, 8),
        ran: (4, 7),
        endings: &[SessionEnding::Finished],
        requests: 11,
        compacts: false,
    };

    #[test]
    fn a_session_that_meets_the_expectation_has_no_faults() {
        assert_eq!(EXPECTED.faults(&SEEN), [""; 0]);
    }

    #[test]
    fn every_difference_is_listed() {
        let seen = SessionObservation {
            told: None,
            refused: Some(9),
            ran: 8,
            requests: 12,
            ending: SessionEnding::Endless,
            ..SEEN
        };
        let faults = EXPECTED.faults(&seen);
        let expected = [
            "advised never, expected at call 3-4",
            "refused at call 9, expected at call 5-8",
            "called an insistence in the round of the first refusal",
            "8 calls were carried out, expected 4-7",
            "the session was endless, expected finished",
            "12 requests, expected at most 11",
        ];
        assert_eq!(faults, expected);
    }
}
