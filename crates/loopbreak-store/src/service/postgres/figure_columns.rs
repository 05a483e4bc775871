//! Additions to runs as columns. A statement takes whole columns, so that its cost does not depend on the number of runs.

use std::borrow::Cow;

use super::row_values::{signed, storable};
use crate::service::{NewEntry, RunAppend};

/// Figures of runs.
#[derive(Default)]
pub(super) struct FigureColumns<'b> {
    pub(super) run: Vec<i64>,
    pub(super) owner: Vec<&'b str>,
    pub(super) epoch: Vec<i64>,
    pub(super) last_seq: Vec<i64>,
    pub(super) steps: Vec<i64>,
    pub(super) turn: Vec<i64>,
    pub(super) verdict: Vec<i16>,
    pub(super) worst: Vec<i16>,
    pub(super) findings: Vec<i64>,
    pub(super) cost: Vec<f64>,
    pub(super) tokens: Vec<i64>,
    pub(super) wasted_steps: Vec<i64>,
    pub(super) wasted_cost: Vec<f64>,
    pub(super) wasted_tokens: Vec<i64>,
    pub(super) model: Vec<Cow<'b, str>>,
    pub(super) agent: Vec<Cow<'b, str>>,
    pub(super) stopped: Vec<Cow<'b, str>>,
    pub(super) held_out: Vec<Option<bool>>,
    pub(super) warned_at: Vec<Option<i64>>,
}

impl<'b> FigureColumns<'b> {
    pub(super) fn from_batch(batch: &[&'b RunAppend]) -> Self {
        let mut columns = FigureColumns::default();
        for RunAppend { lease, entries, figures, .. } in batch {
            columns.run.push(lease.run);
            columns.owner.push(&lease.owner);
            columns.epoch.push(signed(lease.epoch));
            columns.last_seq.push(entries.last().map_or(0, |entry| signed(entry.seq)));
            columns.steps.push(signed(figures.steps));
            columns.turn.push(signed(figures.turn));
            columns.verdict.push(figures.verdict as i16);
            columns.worst.push(figures.worst as i16);
            columns.findings.push(signed(figures.findings));
            columns.cost.push(figures.cost);
            columns.tokens.push(signed(figures.tokens));
            columns.wasted_steps.push(signed(figures.wasted_steps));
            columns.wasted_cost.push(figures.wasted_cost);
            columns.wasted_tokens.push(signed(figures.wasted_tokens));
            columns.model.push(storable(&figures.model));
            columns.agent.push(storable(&figures.agent));
            columns.stopped.push(storable(&figures.stopped));
            columns.held_out.push(figures.held_out);
            columns.warned_at.push(figures.warned_at.map(signed));
        }
        columns
    }
}

/// Entries.
#[derive(Default)]
pub(super) struct EntryColumns<'b> {
    pub(super) id: Vec<i64>,
    pub(super) project: Vec<i64>,
    pub(super) run: Vec<i64>,
    pub(super) seq: Vec<i64>,
    pub(super) at: Vec<i64>,
    pub(super) kind: Vec<&'static str>,
    pub(super) key: Vec<Option<Cow<'b, str>>>,
    pub(super) verdict: Vec<i16>,
    pub(super) notable: Vec<bool>,
    pub(super) input: Vec<Cow<'b, str>>,
    pub(super) answer: Vec<Cow<'b, str>>,
}

impl<'b> EntryColumns<'b> {
    pub(super) fn push(&mut self, id: i64, project: i64, run: i64, entry: &'b NewEntry) {
        self.id.push(id);
        self.project.push(project);
        self.run.push(run);
        self.seq.push(signed(entry.seq));
        self.at.push(entry.at);
        self.kind.push(entry.kind.as_str());
        self.key.push(entry.key.as_deref().map(storable));
        self.verdict.push(entry.verdict as i16);
        self.notable.push(entry.notable);
        self.input.push(storable(&entry.input));
        self.answer.push(storable(&entry.answer));
    }
}
