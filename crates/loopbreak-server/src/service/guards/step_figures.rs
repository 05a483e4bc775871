//! Adds steps to the figures of their run.

use loopbreak::text::clip;
use loopbreak::{Severity, Step, Verdict};
use loopbreak_store::service::{RunFigures, RunVerdict};

/// Longest name of a model or an agent, in bytes.
const NAME_BYTES: usize = 200;

/// Adds a step to the figures of its run.
pub(super) fn add_step(figures: &mut RunFigures, step: &Step<'_>, verdict: &Verdict, judged: RunVerdict) {
    figures.steps += 1;
    figures.turn = verdict.turn;
    figures.cost += cost_of(step);
    figures.tokens = figures.tokens.saturating_add(tokens_of(step));
    let found = verdict.findings.iter().filter(|finding| finding.severity != Severity::Hint).count();
    figures.findings += found as u64;
    if judged != RunVerdict::Clear {
        figures.wasted_steps += 1;
        figures.wasted_cost += cost_of(step);
        figures.wasted_tokens = figures.wasted_tokens.saturating_add(tokens_of(step));
    }
    if found > 0 {
        figures.warned_at.get_or_insert(verdict.turn);
    }
    if let Some(model) = &step.model {
        clip(model, NAME_BYTES).clone_into(&mut figures.model);
    }
    if let Some(agent) = &step.agent {
        clip(agent, NAME_BYTES).clone_into(&mut figures.agent);
    }
    if let Some(stop) = &verdict.stop {
        figures.stopped = stop.reason.to_string();
    }
}

/// Returns the cost of a step in US dollars, 0 if it has no valid one.
pub(super) fn cost_of(step: &Step<'_>) -> f64 {
    let cost = step.usage.and_then(|usage| usage.cost_usd).unwrap_or_default();
    if cost.is_finite() && cost > 0.0 { cost } else { 0.0 }
}

/// Returns the number of tokens of a step.
pub(super) fn tokens_of(step: &Step<'_>) -> u64 {
    let usage = step.usage.unwrap_or_default();
    let tokens =
        usage.input_tokens.unwrap_or_default().saturating_add(usage.output_tokens.unwrap_or_default());
    // The store counts with 64 signed bits, over many steps.
    tokens.min(1 << 40)
}
