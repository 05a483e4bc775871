//! One run, step by step.

use loopbreak::{Step, Verdict};
use loopbreak_report::explain::Explanation;
use loopbreak_report::text::Look;
use loopbreak_trace::LogInput;

use super::log::{Events, Manner, Outcome, analyze_with};
use crate::error::UserError;

/// How many ids of runs an error shows.
const SHOWN: usize = 5;

/// Reads a log and explains its first run.
pub(super) fn analyze(
    input: &LogInput,
    manner: Manner<'_>,
    events: Option<&mut Events<'_>>,
    (look, full): (Look, bool),
    watch: impl Fn(u64) + Clone + Send + 'static,
) -> Outcome {
    let mut told: Option<(String, Explanation)> = None;
    let mut also = |run: &str, step: &Step<'_>, verdict: &Verdict| {
        let (name, explanation) = told.get_or_insert_with(|| (run.to_owned(), Explanation::new(look, full)));
        if name == run {
            explanation.add(step, verdict);
        }
    };
    let mut outcome = analyze_with(input, manner, events, &mut also, watch);
    outcome.explained =
        told.filter(|_| !outcome.runs.is_empty()).map(|(_, explanation)| explanation.finish());
    outcome
}

/// The one run that was explained, or what to do where there are more.
pub(super) fn only(outcomes: &mut [Outcome]) -> Result<Option<String>, UserError> {
    let runs: Vec<&str> = outcomes.iter().flat_map(|outcome| outcome.runs.names()).collect();
    if runs.len() > 1 {
        let mut ids = runs.clone();
        ids.sort_unstable();
        ids.dedup();
        let hint = if ids.len() == 1 {
            "more than one file has a run of that id: name one file".to_owned()
        } else {
            let more = if ids.len() > SHOWN { ", …" } else { "" };
            let quoted: Vec<String> = ids.iter().take(SHOWN).map(|id| format!("{id:?}")).collect();
            format!("name one with --run ID: there are {}{more}", quoted.join(", "))
        };
        return Err(
            UserError::usage(format!("--explain shows one run, and there are {}", runs.len())).hint(hint)
        );
    }
    Ok(outcomes.iter_mut().find_map(|outcome| outcome.explained.take()))
}
