//! The effect of Loopbreak on stored runs.

use loopbreak_analysis::RunCost;
use loopbreak_analysis::eval::{HoldoutReport, HoldoutRun, LoopRemainder};
use loopbreak_store::HoldoutRecord;

/// Compares held-out runs with the others. Returns `None` if no runs were recorded while runs were held out.
pub fn compare_holdout(records: &[HoldoutRecord]) -> Option<HoldoutReport> {
    let run = |record: &HoldoutRecord| HoldoutRun {
        held_out: record.held_out,
        // The store does not know the cost of a step.
        remainder: record
            .warned
            .as_ref()
            .map(|warned| LoopRemainder { steps: warned.last, cost: RunCost::default() }),
    };
    (!records.is_empty()).then(|| HoldoutReport::new(&records.iter().map(run).collect::<Vec<_>>()))
}
