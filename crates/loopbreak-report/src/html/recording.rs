//! What a page shows of one run, gathered as the run goes by.

use loopbreak::{MAIN_AGENT, Step, Verdict};

use super::bands::Bands;
use super::flags::Flags;
use super::keep::{Interest, Kept};
use super::lanes;
use super::marks::Marks;
use super::row::Row;
use super::text::clean;
use crate::pack::packed;
use crate::repeats::Repeats;
use crate::timeline::Timeline;

/// How many agents of a run are told apart.
const AGENTS: usize = 64;
const NAME: usize = 60;

/// Records one run. What it holds is bounded, whatever the length of the run.
#[derive(Debug, Default)]
pub struct Recording {
    pub(super) kept: Kept,
    pub(super) bands: Bands,
    pub(super) flags: Flags,
    pub(super) marks: Marks,
    pub(super) tools: Timeline,
    /// The names of the agents, and how many steps each took.
    pub(super) agents: Vec<(String, u64)>,
    /// The first and the last turn.
    pub(super) turns: Option<(u64, u64)>,
    pub(super) records: u64,
    repeats: Repeats,
    score: Option<f64>,
}

packed! {
    Recording { kept, bands, flags, marks, tools, agents, turns, records, repeats, score }
}

impl Recording {
    /// Takes in a step and what the guard said of it.
    pub fn add(&mut self, step: &Step<'_>, verdict: &Verdict) {
        let turn = verdict.turn;
        let mut row = Row::of(step, turn);
        row.number = self.records;
        self.records += 1;
        (row.agent, row.own) = self.agent(step.agent.as_deref().unwrap_or(MAIN_AGENT));
        let score = step.score.filter(|score| score.is_finite());
        row.score = score.filter(|score| self.score != Some(*score));
        self.score = score.or(self.score);
        row.repeats = self.repeats.of(step, turn);
        if !step.refused {
            lanes::tool(&mut self.tools, step, turn);
            let (first, last) = self.turns.unwrap_or((turn, turn));
            self.turns = Some((first.min(turn), last.max(turn)));
        }
        let flagged = self.flags.add(verdict, row.number);
        let progress = self.marks.add(step, verdict);
        let since = self.bands.add(verdict, &row, &self.kept.recent());
        let interest = Interest { point: flagged.any || progress, end: flagged.ends, since };
        self.kept.add(row, interest);
    }

    /// The index of an agent, and how many steps it took before.
    fn agent(&mut self, name: &str) -> (usize, u64) {
        let name = clean(name, NAME);
        let known = self.agents.iter().position(|(known, _)| *known == name);
        let index = known.unwrap_or_else(|| {
            if self.agents.len() < AGENTS {
                self.agents.push((name, 0));
            }
            self.agents.len() - 1
        });
        let count = &mut self.agents[index].1;
        *count += 1;
        (index, *count - 1)
    }
}
