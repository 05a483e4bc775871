//! Cost of a run by its transcript.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde::{Deserialize, Serialize};

use super::push_bounded;

/// Number of calls of a model that are remembered: lines of one call may have those of a subagent between them.
const MAX_CALLS: usize = 4;

/// Cost of a run by its transcript, and the position up to which it was read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TranscriptCost {
    /// Path of the transcript.
    pub path: String,
    /// Number of bytes that were read.
    pub at: u64,
    /// The model of the last call.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// Cost so far, in US dollars.
    pub usd: f64,
    /// Part of it that was not shown to the guard as the cost of a step.
    pub unseen: f64,
    /// The last calls by checksums of their ids, with the cost that was counted of each.
    calls: Vec<(u64, f64)>,
}

impl TranscriptCost {
    /// Starts to count at a position.
    pub fn new(path: &str, at: u64) -> Self {
        TranscriptCost { path: path.to_owned(), at, ..TranscriptCost::default() }
    }

    /// Adds a call, of which several lines may each have the cost so far.
    pub fn add(&mut self, call: Option<&str>, usd: f64) {
        if !usd.is_finite() || usd <= 0.0 {
            return;
        }
        let more = match call {
            None => usd,
            Some(call) => {
                let mut sum = DefaultHasher::new();
                call.hash(&mut sum);
                let call = sum.finish();
                if let Some((_, counted)) = self.calls.iter_mut().find(|(known, _)| *known == call) {
                    let more = (usd - *counted).max(0.0);
                    *counted = counted.max(usd);
                    more
                } else {
                    push_bounded(&mut self.calls, (call, usd), MAX_CALLS);
                    usd
                }
            }
        };
        self.usd += more;
        self.unseen += more;
    }

    /// Continues in another file, such as that of a session that was resumed elsewhere.
    pub fn move_to(&mut self, path: &str, at: u64) {
        path.clone_into(&mut self.path);
        self.at = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lines_of_one_call_count_once_and_grow() {
        let mut cost = TranscriptCost::new("a", 0);
        for (call, usd) in [
            (Some("m1"), 0.25),
            (Some("s1"), 1.0),
            (Some("m1"), 0.5),
            (Some("m1"), 0.25),
            (None, 2.0),
            (None, 2.0),
        ] {
            cost.add(call, usd);
        }
        assert_eq!((cost.usd, cost.unseen), (5.5, 5.5));
        for number in 0..100 {
            cost.add(Some(&number.to_string()), f64::NAN);
            cost.add(Some(&number.to_string()), 0.5);
        }
        assert_eq!((cost.usd, cost.calls.len()), (55.5, MAX_CALLS));
    }
}
