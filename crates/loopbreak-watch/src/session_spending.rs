//! Costs of the watched runs, recorded in the store that hooks and `loopbreak run` use, and what all sessions have spent.

use std::collections::HashMap;
use std::path::Path;

use loopbreak::detectors::SharedSpending;
use loopbreak::{Settings, Step};
use loopbreak_store::{SessionCost, Store, StoreError, StoreUrl, now, open};
use loopbreak_trace::prices::StepPricer;

/// Number of costs that wait at most until they are written.
const MAX_WAITING: usize = 1000;
/// Number of parts of sessions that are counted.
const MAX_PARTS: usize = 10_000;
/// Steps that are older, in milliseconds, are from a log that is read for the first time: sums of the present say nothing about them.
const PRESENT_MS: i64 = 60 * 60 * 1000;
/// Costs that are older, in milliseconds, count in no period.
const DAY_MS: i64 = 24 * PRESENT_MS;
/// Shortest name of a run that can be recognized in the name of a file.
const MIN_NAME: usize = 8;

/// Prices the steps of watched runs, and keeps their costs in the store.
#[derive(Debug)]
pub(crate) struct SessionSpending {
    store: Option<(StoreUrl, Option<Box<dyn Store>>)>,
    pricer: StepPricer,
    /// Costs so far by session and part, with the source that reported them.
    totals: HashMap<(String, String), (usize, f64)>,
    waiting: Vec<SessionCost>,
    /// The last error was reported.
    has_failed: bool,
}

impl SessionSpending {
    /// Creates it for settings with a budget of money. Without one, nothing is priced and no store is opened.
    pub(crate) fn new(settings: &Settings, store: Option<StoreUrl>) -> Option<Self> {
        settings.budget.limits_cost().then(|| SessionSpending {
            store: store.filter(|_| settings.budget.has_shared_limit()).map(|url| (url, None)),
            pricer: StepPricer::new(settings),
            totals: HashMap::new(),
            waiting: Vec::new(),
            has_failed: false,
        })
    }

    /// Returns a step with its cost, if the log says only its tokens and they have a price.
    pub(crate) fn price<'s>(&mut self, step: &Step<'s>) -> Option<Step<'s>> {
        self.pricer.with_cost(step)
    }

    /// Counts the cost of a step. Returns what all sessions had spent before it, for a step of the present.
    pub(crate) fn add(
        &mut self,
        source: usize,
        path: &Path,
        run: &str,
        step: &Step<'_>,
    ) -> Result<Option<SharedSpending>, StoreError> {
        if self.store.is_none() {
            return Ok(None);
        }
        let now = now();
        let at = step.at.map_or(now, |at| at.0);
        let key = session_part(path, run, step.agent.as_deref());
        let cost = step.usage.and_then(|usage| usage.cost_usd).filter(|cost| cost.is_finite() && *cost > 0.0);
        if let Some(cost) = cost {
            self.count(source, key.clone(), cost, at, now);
        }
        if at < now.saturating_sub(PRESENT_MS) {
            if self.waiting.len() >= MAX_WAITING {
                self.write()?;
            }
            return Ok(None);
        }
        self.write()?;
        let sums = self.with_store(|store| store.spending(&key.0, now))?;
        Ok(sums.map(|sums| sums.before(step)))
    }

    fn count(&mut self, source: usize, key: (String, String), cost: f64, at: i64, now: i64) {
        if self.totals.len() >= MAX_PARTS && !self.totals.contains_key(&key) {
            return;
        }
        let (_, total) = self.totals.entry(key.clone()).or_insert((source, 0.0));
        *total += cost;
        let (session, part) = key;
        let counted = SessionCost { session, part, parent: String::new(), usd: *total, at };
        let is_old = |at: i64| at < now.saturating_sub(DAY_MS);
        let is_same = |last: &&mut SessionCost| {
            (&last.session, &last.part) == (&counted.session, &counted.part) && is_old(last.at)
        };
        match self.waiting.last_mut().filter(is_same).filter(|_| is_old(at)) {
            Some(last) => *last = counted,
            None => self.waiting.push(counted),
        }
    }

    /// Forgets the costs of a source, which is read again from its beginning. The store counts them once.
    pub(crate) fn remove_source(&mut self, source: usize) {
        self.totals.retain(|_, (known, _)| *known != source);
    }

    /// Writes the costs that wait.
    pub(crate) fn write(&mut self) -> Result<(), StoreError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let costs = std::mem::take(&mut self.waiting);
        self.with_store(|store| store.record_costs(&costs, now())).map(|_| ())
    }

    fn with_store<T>(
        &mut self,
        act: impl FnOnce(&mut dyn Store) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let Some((url, opened)) = &mut self.store else { return Ok(None) };
        let store = match opened {
            Some(store) => store,
            None => opened.insert(open(url)?),
        };
        act(&mut **store).map(Some)
    }

    /// Returns a message about an error, unless the last one was reported already.
    pub(crate) fn describe<T>(&mut self, result: Result<T, StoreError>) -> Result<T, Option<String>> {
        let had_failed = std::mem::replace(&mut self.has_failed, result.is_err());
        result.map_err(|error| {
            (!had_failed).then(|| format!("warning: the costs of runs are not recorded: {error}"))
        })
    }
}

/// Returns the session and its part that a step belongs to, as hooks name them.
///
/// The transcript of an agent is named after the session, and those of its subagents are in a folder that is. Any other log may
/// have a run of the same name as another log, so its path is part of the name.
fn session_part(path: &Path, run: &str, agent: Option<&str>) -> (String, String) {
    let has_name = |name: Option<&std::ffi::OsStr>| {
        run.len() >= MIN_NAME && name.and_then(|name| name.to_str()).is_some_and(|name| name.contains(run))
    };
    if has_name(path.file_stem()) {
        return (run.to_owned(), String::new());
    }
    if path.ancestors().skip(1).any(|folder| has_name(folder.file_name())) {
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        return (run.to_owned(), agent.unwrap_or(stem).to_owned());
    }
    (format!("{}#{run}", path.display()), String::new())
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "the figures are exact")]
mod tests {
    use super::*;

    fn step(json: &str) -> Step<'_> {
        Step::from_json(json).unwrap()
    }

    fn spending(budget: &str) -> (tempfile::TempDir, StoreUrl, Option<SessionSpending>) {
        let folder = tempfile::tempdir().unwrap();
        let url = StoreUrl::from(folder.path().join("loopbreak.db"));
        let settings: Settings = serde_json::from_str(&format!(r#"{{"budget":{budget}}}"#)).unwrap();
        let spending = SessionSpending::new(&settings, Some(url.clone()));
        (folder, url, spending)
    }

    #[test]
    fn without_a_budget_nothing_is_priced_and_no_store_is_created() {
        let (folder, _, none) = spending("{}");
        assert!(none.is_none());
        let (_, _, only_run) = spending(r#"{"max_cost": 1.0}"#);
        let mut only_run = only_run.unwrap();
        let priced =
            only_run.price(&step(r#"{"model":"gpt-4o","usage":{"output_tokens":1000000}}"#)).unwrap();
        assert_eq!(priced.usage.unwrap().cost_usd, Some(10.0));
        assert!(only_run.price(&step(r#"{"model":"mine","usage":{"output_tokens":5}}"#)).is_none());
        assert_eq!(only_run.add(0, Path::new("a"), "r", &priced).unwrap(), None);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_step_of_the_present_gets_the_sums_before_it() {
        let (_folder, url, spending) = spending(r#"{"max_cost_day": 1.0}"#);
        let mut spending = spending.unwrap();
        let line = format!(r#"{{"at":{},"usage":{{"cost_usd":0.5}}}}"#, now());
        for (run, day) in [("a", 0.0), ("b", 0.5), ("a", 1.0)] {
            let shared = spending.add(0, Path::new("x.jsonl"), run, &step(&line)).unwrap().unwrap();
            assert_eq!(shared.day, day, "{run}");
        }
        let stored = open(&url).unwrap().spending("x.jsonl#a", now()).unwrap();
        assert_eq!((stored.session, stored.total), (1.0, 1.5));
    }

    #[test]
    fn a_log_that_is_read_again_counts_once_and_an_old_one_not_at_all() {
        let (_folder, url, spending) = spending(r#"{"max_cost_total": 1.0}"#);
        let mut spending = spending.unwrap();
        let old = r#"{"at":1000000000000,"usage":{"cost_usd":7.0}}"#;
        let line = format!(r#"{{"at":{},"usage":{{"cost_usd":0.5}}}}"#, now() - 2 * PRESENT_MS);
        for _ in 0..3 {
            for text in [old, old, &line, &line] {
                spending.add(4, Path::new("x.jsonl"), "r", &step(text)).unwrap();
            }
            spending.remove_source(4);
        }
        spending.write().unwrap();
        let stored = open(&url).unwrap().spending("x.jsonl#r", now()).unwrap();
        assert_eq!((stored.session, stored.total), (15.0, 1.0));
    }

    #[test]
    fn a_transcript_is_the_session_that_hooks_know() {
        let session = "c0863c99-eac6-432b-aba0-18d6f4c2ba6b";
        for (path, run, agent, expected) in [
            ("/p/c0863c99-eac6-432b-aba0-18d6f4c2ba6b.jsonl", session, None, (session, "")),
            (
                "/p/c0863c99-eac6-432b-aba0-18d6f4c2ba6b/subagents/agent-ab.jsonl",
                session,
                Some("ab"),
                (session, "ab"),
            ),
            ("/s/rollout-2026-c0863c99-eac6-432b-aba0-18d6f4c2ba6b.jsonl", session, None, (session, "")),
            ("/logs/main.jsonl", "main", None, ("/logs/main.jsonl#main", "")),
        ] {
            let (found, part) = session_part(Path::new(path), run, agent);
            assert_eq!((found.as_str(), part.as_str()), expected, "{path}");
        }
    }
}
