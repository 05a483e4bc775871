//! From arguments to a search, a file and an exit code.

use std::collections::BTreeMap;

use loopbreak::Config;
use loopbreak_report::eval::{Condition, LookedAt};
use loopbreak_report::tune::{self, KeptRun, SCHEMA, Search, Trial, Trials};

use super::args::TuneArgs;
use super::search::{Found, search};
use super::state::{State, Subject};
use super::{file, logs};
use crate::analyze::{Talk, trouble};
use crate::error::UserError;
use crate::eval::{labels, logs_of};
use crate::{exit, output};

/// How many names of logs the file that is written tells.
const SOURCES: usize = 10;

/// Searches thresholds and prints the best.
pub(crate) fn run(args: &TuneArgs) -> Result<u8, UserError> {
    let config = crate::config::load(&args.config)?;
    if args.paths.is_empty() {
        return Err(UserError::usage("no log given")
            .hint("name a file or a folder, or - for standard input, as in: loopbreak tune logs/"));
    }
    if let Some(path) = &args.output {
        file::check(path, args.force)?;
    }
    let known = labels::known(&args.known)?;
    if let Some(threads) = args.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build_global();
        pool.map_err(|error| UserError::failed(format!("cannot start {threads} threads: {error}")))?;
    }
    let expansion = logs_of(&args.paths, &args.known.labels);
    let mut talk = Talk::new(args.quiet, false);
    let (outcomes, mut runs) =
        logs::read(&expansion, &config, args.format, &talk, args.quiet, logs::MOST_BYTES)?;
    let (failed, _) = trouble(&expansion, &outcomes, &mut talk);
    if runs.is_empty() {
        return if failed {
            Ok(exit::FAILED)
        } else {
            Err(UserError::failed("there are no runs to look at"))
        };
    }
    if let Some(known) = &known {
        labels::apply(known, &mut runs, |run| &run.run, |run, positive| run.positive = positive)?;
    }
    if runs.len() < 2 {
        return Err(UserError::usage("one run is not enough to tune on: some have to be held out")
            .hint("name more logs; some dozens of runs make a result worth having"));
    }
    let subject = Subject::of(&runs, &config, args.seed);
    let (state, done) = match &args.state {
        Some(path) => {
            let (state, done) = State::open(path, &subject, runs.len())?;
            (Some(state), done)
        }
        None => (None, BTreeMap::new()),
    };
    let mut trials = Trials::new(&config, args.seed);
    let found = search(&runs, &mut trials, args.budget, done, state, args.quiet)?;
    if found.interrupted {
        tell_interrupted(&found, args);
        return Ok(exit::INTERRUPTED);
    }
    let text = |condition: Option<&Condition>| condition.map(|it| it.as_str().to_owned());
    let conditions = known.as_ref().map(|known| (known.positive.as_ref(), known.only.as_ref()));
    let (positive, only) = conditions.unwrap_or_default();
    let mut search = result(&runs, &found, (text(positive), text(only)), args)?;
    prune(&mut search.choice.best, &trials, &runs);
    if let Some(path) = &args.output {
        save(path, &search, &trials, &runs, &subject)?;
        anstream::eprintln!("wrote {}", path.display());
    }
    print(&search, args.json)?;
    Ok(if failed { exit::FAILED } else { exit::DONE })
}

fn tell_interrupted(found: &Found, args: &TuneArgs) {
    let tried = found.tried.len();
    match &args.state {
        Some(state) => anstream::eprintln!(
            "interrupted after {tried} trials, which are kept in {}; the same command goes on from there",
            state.display()
        ),
        None => anstream::eprintln!(
            "interrupted after {tried} trials; with --state FILE they would have been kept"
        ),
    }
}

/// Takes back every change that makes no difference to any run: nobody is to wonder later why it is there.
fn prune(best: &mut Trial, trials: &Trials, runs: &[KeptRun]) {
    let outcomes = |trial: &Trial| {
        let config = trials.config(trial)?;
        Some(runs.iter().map(|run| tune::replay(&config, run)).collect::<Vec<_>>())
    };
    let Some(whole) = outcomes(best) else { return };
    for index in (0..best.changes.len()).rev() {
        let mut less = best.clone();
        less.changes.remove(index);
        if outcomes(&less).as_ref() == Some(&whole) {
            *best = less;
        }
    }
}

fn result(
    runs: &[KeptRun],
    found: &Found,
    (positive, only): (Option<String>, Option<String>),
    args: &TuneArgs,
) -> Result<Search, UserError> {
    let labels: Vec<Option<bool>> = runs.iter().map(|run| run.positive).collect();
    let choice = tune::choose(&found.tried, &labels, args.folds as usize, args.seed)
        .ok_or_else(|| UserError::failed("no trial was made"))?;
    let positives = runs.iter().filter(|run| run.positive == Some(true)).count() as u64;
    let looked_at = LookedAt {
        positives: positive.is_some().then_some(positives),
        positive,
        only,
        runs: runs.len() as u64,
        steps: runs.iter().map(|run| run.turns).sum(),
    };
    Ok(Search { schema: SCHEMA, looked_at, trials: found.tried.len() as u64, seed: args.seed, choice })
}

fn save(
    path: &std::path::Path,
    search: &Search,
    trials: &Trials,
    runs: &[KeptRun],
    subject: &Subject,
) -> Result<(), UserError> {
    let config: Config = trials
        .config(&search.choice.best)
        .ok_or_else(|| UserError::failed("the best settings are no valid whole"))?;
    let mut sources: Vec<String> = Vec::new();
    for run in runs {
        if !sources.contains(&run.source) {
            sources.push(run.source.clone());
        }
    }
    let more = sources.len().saturating_sub(SOURCES);
    sources.truncate(SOURCES);
    if more > 0 {
        sources.push(format!("and {more} more"));
    }
    file::write(path, search, &config, &sources, subject.data())
}

fn print(search: &Search, json: bool) -> Result<(), UserError> {
    if !json {
        return output::print(&tune::render(search, &output::look()));
    }
    output::json(search)
}
