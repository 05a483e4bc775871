//! Tasks that are attempted in more than one run, which the guard of a single run cannot see.

use std::collections::{HashMap, HashSet};

use foldhash::fast::RandomState;
use loopbreak::step::{StepText, Task};
use loopbreak::{Config, Finding, Series, Step};
use loopbreak_trace::bounded_name;

use crate::report::SeriesReport;

/// Maximum number of blockers and of work items that are kept of an attempt. The others become one.
const MAX_ITEMS: usize = 64;

/// An attempt at a task, kept until all earlier runs were read.
#[derive(Clone, Debug)]
pub struct ReportedAttempt {
    run: String,
    step: Step<'static>,
}

impl ReportedAttempt {
    /// Returns the name of the run.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Returns the step with the time and the task of the attempt.
    pub(crate) fn step(&self) -> &Step<'static> {
        &self.step
    }

    /// Returns the attempt that a step makes at a task, if it makes one.
    pub fn from_step(run: &str, step: &Step<'_>) -> Option<Self> {
        let task = step.task.as_ref().filter(|_| !step.refused)?;
        // All attempts are kept until the end. The engine compares blockers and work by hash.
        let bounded = |text: &str| StepText::from(bounded_name(text.trim()).into_owned());
        let texts = |texts: &[StepText<'_>]| {
            let (first, rest) = texts.split_at(texts.len().min(MAX_ITEMS));
            let rest = rest.iter().map(|text| &**text).collect::<Vec<_>>().join("\n");
            let rest = Some(rest).filter(|rest| !rest.is_empty());
            first.iter().map(|text| bounded(text)).chain(rest.map(|rest| bounded(&rest))).collect()
        };
        let task = Task {
            id: task.id.clone().into_owned(),
            status: task.status.clone().map(StepText::into_owned),
            blockers: texts(&task.blockers),
            work: texts(&task.work),
            session: task.session.clone().map(loopbreak::step::Label::into_owned),
        };
        let step = Step { at: step.at, task: Some(task), ..Step::default() };
        Some(ReportedAttempt { run: run.to_owned(), step })
    }
}

/// Collects the attempts at all tasks over all runs.
#[derive(Debug)]
pub struct TaskAttempts {
    series: Series,
    tasks: Vec<AttemptedTask>,
    known: HashMap<String, usize, RandomState>,
}

#[derive(Debug)]
struct AttemptedTask {
    task: String,
    runs: Vec<String>,
    /// Runs with one name in two files are two runs.
    sources: HashSet<(usize, String), RandomState>,
    attempts: u64,
    findings: Vec<Finding>,
}

impl TaskAttempts {
    /// Creates an empty collection.
    pub fn new(config: &Config) -> Self {
        TaskAttempts { series: Series::new(config.clone()), tasks: Vec::new(), known: HashMap::default() }
    }

    /// Adds the next attempt, from the source with this number.
    pub fn add(&mut self, source: usize, attempt: ReportedAttempt) {
        let ReportedAttempt { run, step } = attempt;
        let Some(task) = step.task.as_ref().map(|task| task.id.as_text().into_owned()) else { return };
        let verdict = self.series.observe(&run, &step);
        // The series does not count a mention of a task as an attempt either.
        if verdict.turn == 0 {
            return;
        }
        let index = *self.known.entry(task).or_insert_with_key(|task| {
            self.tasks.push(AttemptedTask {
                task: task.clone(),
                runs: Vec::new(),
                sources: HashSet::default(),
                attempts: 0,
                findings: Vec::new(),
            });
            self.tasks.len() - 1
        });
        let attempted = &mut self.tasks[index];
        attempted.attempts += 1;
        attempted.findings.extend(verdict.findings);
        if attempted.sources.insert((source, run.clone())) {
            attempted.runs.push(run);
        }
    }

    /// Returns the tasks that span two or more runs, in the order of their first attempt.
    pub fn finish(self) -> Vec<SeriesReport> {
        let spanning = self.tasks.into_iter().filter(|attempted| attempted.runs.len() > 1);
        let report = spanning.map(|attempted| SeriesReport {
            key: format!("task:{}", attempted.task),
            task: Some(attempted.task),
            prompt: None,
            runs: attempted.runs,
            attempts: attempted.attempts,
            findings: attempted.findings,
        });
        report.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCKED: &str =
        r#"{"task":{"id":"T1","status":"blocked","blockers":["no network"],"work":["read config"]}}"#;

    fn feed(attempts: &[(usize, &str, &str)]) -> Vec<SeriesReport> {
        let mut tasks = TaskAttempts::new(&Config::default());
        for (source, run, line) in attempts {
            let step = Step::from_json(line).unwrap();
            tasks.add(*source, ReportedAttempt::from_step(run, &step).unwrap());
        }
        tasks.finish()
    }

    #[test]
    fn a_task_that_spins_over_three_runs_is_found() {
        let series = feed(&[(0, "a", BLOCKED), (0, "b", BLOCKED), (1, "a", BLOCKED)]);
        assert_eq!(series.len(), 1);
        assert_eq!((series[0].key.as_str(), series[0].attempts), ("task:T1", 3));
        assert_eq!(series[0].runs, ["a", "b", "a"], "runs with one name in two files are two runs");
        assert_eq!(series[0].findings[0].pattern, "blocked_task_spin");
    }

    #[test]
    fn a_task_of_a_single_run_is_not_reported() {
        assert!(feed(&[(0, "a", BLOCKED), (0, "a", BLOCKED), (0, "a", BLOCKED)]).is_empty());
    }

    #[test]
    fn a_mention_is_not_an_attempt() {
        let mention = r#"{"task":{"id":"T1"}}"#;
        assert!(feed(&[(0, "a", mention), (0, "b", mention)]).is_empty());
    }
}
