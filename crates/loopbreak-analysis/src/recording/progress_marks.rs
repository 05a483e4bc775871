//! Progress along a run: a new highest score, an objective, or a progress marker of the log.

use std::collections::HashSet;
use std::hash::BuildHasher as _;

use foldhash::fast::{FixedState, RandomState};
use loopbreak::{Step, Verdict};
use serde::{Deserialize, Serialize};

use super::visible_text::visible_text;
use crate::json_number::plain_option;
use crate::named_fields;

/// Maximum number of marks per run, and of objectives that are remembered.
const MARKS: usize = 120;
const OBJECTIVES: usize = 4096;
const NAME: usize = 120;

/// A step of progress.
#[derive(Debug, Serialize, Deserialize)]
pub struct ProgressMark {
    #[serde(rename = "t")]
    turn: u64,
    /// The new highest score.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none", serialize_with = "plain_option")]
    score: Option<f64>,
    /// The objectives that were completed.
    #[serde(rename = "o", default, skip_serializing_if = "String::is_empty")]
    objectives: String,
}

/// The progress of a run so far.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct ProgressMarks {
    #[serde(with = "named_fields")]
    all: Vec<ProgressMark>,
    highest: Option<f64>,
    completed: HashSet<u64, RandomState>,
    pub(super) left_out: u64,
}

impl ProgressMarks {
    /// Adds a step. Returns whether it made progress.
    pub(super) fn add(&mut self, step: &Step<'_>, verdict: &Verdict) -> bool {
        if step.refused {
            return false;
        }
        let score = step.score.filter(|score| score.is_finite());
        let above = score.filter(|score| self.highest.is_some_and(|highest| *score > highest));
        self.highest = self.highest.into_iter().chain(score).reduce(f64::max);
        let mut objectives: Vec<&str> = Vec::new();
        for done in step.objectives.iter().flat_map(|objectives| &objectives.completed) {
            let name = done.objective.trim();
            let known = FixedState::default().hash_one(name);
            if !self.completed.contains(&known) && self.completed.len() < OBJECTIVES {
                self.completed.insert(known);
                objectives.push(name);
            }
        }
        let marked = step.progress == Some(true) || verdict.progress.objective;
        if above.is_none() && objectives.is_empty() && !marked {
            return false;
        }
        if self.all.len() < MARKS {
            let objectives = visible_text(&objectives.join(", "), NAME);
            self.all.push(ProgressMark { turn: verdict.turn, score: above, objectives });
        } else {
            self.left_out += 1;
        }
        true
    }

    pub(super) fn into_all(self) -> Vec<ProgressMark> {
        self.all
    }
}
