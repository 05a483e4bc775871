//! Reads all runs into memory, once.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use loopbreak::{Step, Verdict};
use loopbreak_trace::LogInput;
use rayon::prelude::*;

use super::kept_run::KeptRun;
use crate::logs::{LogAnalyzer, LogReadSummary, StepObserver};

/// Default limit for steps in memory, as native log lines, in bytes.
pub const MAX_STEP_BYTES: u64 = 1024 * 1024 * 1024;

/// The steps of the logs take more memory than is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManySteps;

impl fmt::Display for TooManySteps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the logs are too large: more than 1 GiB of steps would have to be kept in memory")
    }
}

impl std::error::Error for TooManySteps {}

/// Reads all runs, in the order of the inputs. Returns a summary per input, and the runs.
pub fn read_runs(
    analyzer: &LogAnalyzer,
    inputs: &[LogInput],
    max_bytes: u64,
) -> Result<(Vec<LogReadSummary>, Vec<KeptRun>), TooManySteps> {
    let bytes = AtomicU64::new(0);
    let read = |input: &LogInput| {
        let mut keeper = StepKeeper {
            source: input.name(),
            runs: Vec::new(),
            by_name: HashMap::new(),
            bytes: &bytes,
            max_bytes,
        };
        let analysis = analyzer.analyze_log(input, &mut keeper);
        // A file that is not a log has no runs.
        if analysis.runs.is_empty() {
            keeper.runs.clear();
        }
        (analysis.reading, keeper.runs)
    };
    let (logs, runs): (Vec<_>, Vec<Vec<KeptRun>>) = inputs.par_iter().map(read).unzip();
    if bytes.load(Ordering::Relaxed) > max_bytes {
        return Err(TooManySteps);
    }
    Ok((logs, runs.into_iter().flatten().collect()))
}

/// Keeps the steps of one log.
struct StepKeeper<'k> {
    source: String,
    runs: Vec<KeptRun>,
    by_name: HashMap<String, usize>,
    /// Bytes of all logs together.
    bytes: &'k AtomicU64,
    max_bytes: u64,
}

impl StepObserver for StepKeeper<'_> {
    fn observe(&mut self, run: &str, step: &Step<'_>, _: &Verdict) {
        let index = *self.by_name.entry(run.to_owned()).or_insert_with(|| {
            self.runs.push(KeptRun::new(run, self.source.clone()));
            self.runs.len() - 1
        });
        // Beyond the limit nothing is kept, and the search does not start.
        if self.bytes.load(Ordering::Relaxed) <= self.max_bytes {
            self.bytes.fetch_add(self.runs[index].keep(step) as u64, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use loopbreak_trace::expand_paths;

    use super::*;
    use crate::logs::AnalyzeOptions;

    #[test]
    fn tune_keeps_no_more_than_the_limit_and_reports_it() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("log.jsonl");
        fs::write(
            &log,
            "{\"run\":\"a\",\"action\":\"x\"}\n".repeat(9) + "{\"run\":\"b\",\"action\":\"x\"}\n",
        )
        .unwrap();
        let inputs = expand_paths(&[log]).inputs;
        let analyzer = LogAnalyzer::new(AnalyzeOptions::default());
        let (_, runs) = read_runs(&analyzer, &inputs, MAX_STEP_BYTES).unwrap();
        let told: Vec<_> = runs.iter().map(|run| (run.run.as_str(), run.steps.len(), run.turns)).collect();
        assert_eq!(told, [("a", 9, 9), ("b", 1, 1)]);
        assert!(read_runs(&analyzer, &inputs, 100).unwrap_err().to_string().contains("too large"));
    }
}
