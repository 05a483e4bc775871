//! The names of facts.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The name of a fact in [`Evidence`](super::Evidence).
///
/// The names that Loopbreak's own detectors use are constants, such as [`EvidenceKey::PERIOD`]. A detector of your own
/// can declare others with [`EvidenceKey::new`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvidenceKey(Cow<'static, str>);

impl EvidenceKey {
    /// Declares the name of a fact.
    pub const fn new(name: &'static str) -> Self {
        EvidenceKey(Cow::Borrowed(name))
    }

    /// Returns the name, as in JSON.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

macro_rules! evidence_keys {
    ($($(#[$doc:meta])* $constant:ident = $name:literal,)+) => {
        impl EvidenceKey {
            $($(#[$doc])* pub const $constant: EvidenceKey = EvidenceKey::new($name);)+

            /// The names that Loopbreak's own detectors use.
            pub const ALL: &'static [EvidenceKey] = &[$(EvidenceKey::$constant,)+];
        }
    };
}

evidence_keys! {
    /// The action of the step, shortened.
    ACTION = "action",
    /// The argument that changes from call to call.
    ARGUMENT = "argument",
    /// Number of attempts at the task within the window.
    ATTEMPT_COUNT = "attempt_count",
    /// The last attempts at the task: turn, time, status and session.
    ATTEMPTS = "attempts",
    /// The critic's score of the proposal.
    BASE_SCORE = "base_score",
    /// Blockers of the task.
    BLOCKERS = "blockers",
    /// Size of the repeated text in bytes.
    BYTES = "bytes",
    /// Number of calls.
    CALLS = "calls",
    /// Id of the place where the agent camps.
    CAMPED_LOCATION_ID = "camped_location_id",
    /// Name of the place where the agent camps.
    CAMPED_LOCATION_NAME = "camped_location_name",
    /// Number of edits.
    EDITS = "edits",
    /// The error that ended the last run.
    ENDED_WITH = "ended_with",
    /// Number of errors in a row.
    ERRORS = "errors",
    /// Exits of the current place that were not tried.
    EXITS = "exits",
    /// The text of the failure.
    FAILURE = "failure",
    /// Number of failures.
    FAILURES = "failures",
    /// Number of new discoveries since the last progress.
    FINDS = "finds",
    /// Turn of the first of the repeated steps.
    FIRST_TURN = "first_turn",
    /// Number of turns without a discovery.
    IDLE = "idle",
    /// The text of the last error.
    LAST_ERROR = "last_error",
    /// Turn of the last completed objective.
    LAST_OBJECTIVE_COMPLETION_TURN = "last_objective_completion_turn",
    /// Name of the last run.
    LAST_RUN = "last_run",
    /// Turn of the last change of the score.
    LAST_SCORE_CHANGE_TURN = "last_score_change_turn",
    /// Turn at which the action was last taken.
    LAST_TURN = "last_turn",
    /// Turn of the output that this one resembles.
    LIKE_TURN = "like_turn",
    /// The limit that was set.
    LIMIT = "limit",
    /// Id of the place.
    LOCATION_ID = "location_id",
    /// Name of the place.
    LOCATION_NAME = "location_name",
    /// The limit of time, such as `15m`.
    MAX_RUNTIME = "max_runtime",
    /// Number of turns without progress after which the run is stopped.
    MAX_TURNS_STUCK = "max_turns_stuck",
    /// The repeated message.
    MESSAGE = "message",
    /// Number of messages without a call.
    MESSAGES = "messages",
    /// The outcome of the step, shortened.
    OUTCOME = "outcome",
    /// The output, shortened.
    OUTPUT = "output",
    /// Ids of the two places between which the agent moves.
    PATTERN_IDS = "pattern_ids",
    /// Names of the two places between which the agent moves.
    PATTERN_NAMES = "pattern_names",
    /// The penalty that was applied.
    PENALTY = "penalty",
    /// Number of calls in one round.
    PERIOD = "period",
    /// Names of the places of one round.
    PLACES = "places",
    /// Number of polls with the same reply.
    POLLS = "polls",
    /// The prompt that the runs share.
    PROMPT = "prompt",
    /// Number of similar questions in a row.
    QUESTIONS = "questions",
    /// Number of turns after a visit in which progress still counts for the place.
    REACH = "reach",
    /// The reason of the finding, in one sentence without a full stop.
    REASON = "reason",
    /// Number of recent visits to the place.
    RECENT_VISITS = "recent_visits",
    /// Number of repeats.
    REPEATS = "repeats",
    /// Number of rounds.
    ROUNDS = "rounds",
    /// Number of runs.
    RUNS = "runs",
    /// Time since the first step, such as `12m`.
    RUNTIME = "runtime",
    /// The current score.
    SCORE = "score",
    /// Length of the window in seconds.
    SECONDS = "seconds",
    /// Number of times that tasks sent each other back.
    SEND_BACKS = "send_backs",
    /// The repeated signature of the output.
    SIGNATURE = "signature",
    /// The part of the output that the signature is made of: `error`, `failed_tests`, `change`, `search` or
    /// `first_words`.
    SIGNATURE_KIND = "signature_kind",
    /// Similarity of two outputs, from 0 to 1.
    SIMILARITY = "similarity",
    /// The period in which money was spent, such as `since 2026-11-19 00:00 UTC in all sessions`.
    SPENT_IN = "spent_in",
    /// Target of the failing calls.
    TARGET = "target",
    /// Id of the task.
    TASK = "task",
    /// Ids of the tasks of a cycle.
    TASKS = "tasks",
    /// Number of times the step was made.
    TIMES = "times",
    /// The last turns at which the same call was made.
    TURNS = "turns",
    /// Number of turns without progress that are currently allowed.
    TURNS_ALLOWED = "turns_allowed",
    /// Number of turns left until the run is stopped.
    TURNS_LEFT = "turns_left",
    /// Number of turns without progress.
    TURNS_STUCK = "turns_stuck",
    /// The repeated part of the text.
    UNIT = "unit",
    /// Amount of the limit that is used.
    USED = "used",
    /// Number of turns spent at the place.
    VISIT_COUNT = "visit_count",
    /// Number of visits to the place.
    VISITS = "visits",
    /// Number of recent steps in the window.
    WINDOW = "window",
    /// Number of recent turns in the window.
    WINDOW_SIZE = "window_size",
    /// Number of words in the repeated part.
    WORDS = "words",
}

impl fmt::Display for EvidenceKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl AsRef<str> for EvidenceKey {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq<str> for EvidenceKey {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for EvidenceKey {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl From<&'static str> for EvidenceKey {
    fn from(name: &'static str) -> Self {
        EvidenceKey::new(name)
    }
}

/// Does not copy a name that Loopbreak knows.
impl From<String> for EvidenceKey {
    fn from(name: String) -> Self {
        match EvidenceKey::ALL.binary_search_by(|known| known.as_str().cmp(&name)) {
            Ok(index) => EvidenceKey::ALL[index].clone(),
            Err(_) => EvidenceKey(Cow::Owned(name)),
        }
    }
}

impl Serialize for EvidenceKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for EvidenceKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeyVisitor;

        impl de::Visitor<'_> for KeyVisitor {
            type Value = EvidenceKey;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a fact")
            }

            fn visit_str<E>(self, name: &str) -> Result<EvidenceKey, E> {
                Ok(EvidenceKey::from(name.to_owned()))
            }
        }

        deserializer.deserialize_str(KeyVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_declared_in_the_order_of_their_names() {
        assert!(EvidenceKey::ALL.is_sorted());
    }
}
