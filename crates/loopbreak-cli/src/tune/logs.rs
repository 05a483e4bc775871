//! Reads all runs into memory, once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

use loopbreak::{Config, Step, Verdict};
use loopbreak_report::tune::KeptRun;
use loopbreak_trace::{InputSet, LogFormat, LogInput};
use rayon::prelude::*;

use crate::analyze::{Manner, Outcome, Talk, analyze_with, bar};
use crate::error::UserError;

/// More than this is not kept: steps as native log lines, in bytes.
pub(super) const MOST_BYTES: u64 = 1024 * 1024 * 1024;

/// Reads all runs, in the order of the logs.
pub(super) fn read(
    expansion: &InputSet,
    config: &Config,
    format: Option<LogFormat>,
    talk: &Talk,
    quiet: bool,
    most: u64,
) -> Result<(Vec<Outcome>, Vec<KeptRun>), UserError> {
    let kept_bytes = AtomicU64::new(0);
    let progress = bar(&expansion.inputs, quiet);
    let one = |input: &LogInput| {
        let progress = progress.clone();
        keep(input, (config, format), talk.notes(), (&kept_bytes, most), move |bytes| progress.inc(bytes))
    };
    let (outcomes, runs): (Vec<Outcome>, Vec<Vec<KeptRun>>) = expansion.inputs.par_iter().map(one).unzip();
    progress.finish_and_clear();
    if kept_bytes.load(Ordering::Relaxed) > most {
        return Err(UserError::failed(
            "the logs are too large: more than 1 GiB of steps would have to be kept in memory",
        )
        .hint("name fewer logs: a few hundred runs are enough to tune on"));
    }
    Ok((outcomes, runs.into_iter().flatten().collect()))
}

fn keep(
    input: &LogInput,
    (config, format): (&Config, Option<LogFormat>),
    notes: usize,
    (bytes, most): (&AtomicU64, u64),
    watch: impl Fn(u64) + Clone + Send + 'static,
) -> (Outcome, Vec<KeptRun>) {
    let mut runs: Vec<KeptRun> = Vec::new();
    let mut by_name: HashMap<String, usize> = HashMap::new();
    let source = input.name();
    let mut also = |run: &str, step: &Step<'_>, _: &Verdict| {
        let index = *by_name.entry(run.to_owned()).or_insert_with(|| {
            runs.push(KeptRun::new(run, source.clone()));
            runs.len() - 1
        });
        // Beyond the limit nothing is kept, and the search does not begin.
        if bytes.load(Ordering::Relaxed) <= most {
            bytes.fetch_add(runs[index].keep(step) as u64, Ordering::Relaxed);
        }
    };
    let manner = Manner { config, only: None, format, notes, recorded: false };
    let outcome = analyze_with(input, manner, None, &mut also, watch);
    // A file that is no log has no runs.
    if outcome.runs.is_empty() {
        runs.clear();
    }
    (outcome, runs)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use loopbreak_trace::expand_paths;

    use super::*;

    #[test]
    fn tune_keeps_no_more_than_the_limit_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log.jsonl");
        fs::write(
            &log,
            "{\"run\":\"a\",\"action\":\"x\"}\n".repeat(9) + "{\"run\":\"b\",\"action\":\"x\"}\n",
        )
        .unwrap();
        let expansion = expand_paths(&[log]);
        let read = |most| read(&expansion, &Config::default(), None, &Talk::new(true, false), true, most);
        let (_, runs) = read(MOST_BYTES).unwrap();
        let told: Vec<_> = runs.iter().map(|run| (run.run.as_str(), run.steps.len(), run.turns)).collect();
        assert_eq!(told, [("a", 9, 9), ("b", 1, 1)]);
        let error = read(100).unwrap_err();
        assert!(
            error.message.contains("too large") && error.hint.is_some() && error.code == crate::exit::FAILED
        );
    }
}
