//! Watches logs: shows every step to the guard of its run and reports interventions as they happen.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant, SystemTime};

use loopbreak::detectors::SharedSpending;
use loopbreak::{Config, Intervention, Settings, Step};
use loopbreak_analysis::VerdictName;
use loopbreak_report::render_duration;
use loopbreak_store::StoreUrl;
use loopbreak_trace::{LogFormat, LogRecord, SkippedLine};

use crate::follow::{FollowedFiles, StepOrigin, WatchObserver};
use crate::guarded_runs::{GuardedRuns, WatchedRunKey};
use crate::keys::KeyControl;
use crate::notification::{LoopNotification, NotifierSet};
use crate::notification_history::NotificationHistory;
use crate::run_actions::RunActions;
use crate::session_spending::SessionSpending;
use crate::watch_reporter::{OutputState, RunRow, WatchReporter};
use crate::watch_summary::WatchSummary;

/// The interval between two checks of the files.
const TICK: Duration = Duration::from_millis(200);
/// The interval between two looks at the keys.
const KEY_TICK: Duration = Duration::from_millis(40);
/// The number of checks after an interrupt: a file that was moved is found in the next one.
const LAST_ROUNDS: usize = 3;

/// Options of a watch.
#[derive(Clone, Debug)]
pub struct WatchOptions {
    /// Files and folders. Missing ones are waited for.
    pub paths: Vec<PathBuf>,
    /// The format of all logs; recognised by content if absent.
    pub format: Option<LogFormat>,
    /// Reports what is in the logs already.
    pub from_start: bool,
    /// Ends after the logs were read once.
    pub once: bool,
    /// Ends when nothing was written for this long.
    pub until_idle: Option<Duration>,
    /// Forgets a run after this long without a step.
    pub forget: Duration,
    /// Reports hints, skipped lines and ignored files too.
    pub verbose: bool,
}

impl WatchOptions {
    /// Creates the options for these paths: new steps only, until interrupted.
    pub fn new(paths: Vec<PathBuf>) -> Self {
        WatchOptions {
            paths,
            format: None,
            from_start: false,
            once: false,
            until_idle: None,
            forget: Duration::from_hours(1),
            verbose: false,
        }
    }
}

/// The reason why a watch ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WatchEnd {
    /// The logs were read once, nothing was written for long enough, or nobody reads the output.
    Finished,
    /// An interrupt was received.
    Interrupted,
    /// The user ended it with a key.
    Quit,
    /// The output cannot be written.
    OutputFailed,
}

/// Watches logs.
pub struct LogWatcher {
    options: WatchOptions,
    files: FollowedFiles,
    state: WatchState,
    control: Option<KeyControl>,
}

struct WatchState {
    verbose: bool,
    runs: GuardedRuns,
    notifiers: NotifierSet,
    history: NotificationHistory,
    /// The worst verdict among reported steps.
    worst: VerdictName,
    notifications: u64,
    skipped_lines: u64,
    /// Pauses the agents of runs that should be stopped.
    pauser: Option<RunActions>,
    /// The costs of runs, if there is a budget of money.
    spending: Option<SessionSpending>,
}

impl LogWatcher {
    /// Creates a watch of these logs. Nothing is read yet.
    pub fn new(options: WatchOptions, config: Config, notifiers: NotifierSet) -> Self {
        let report_existing = options.from_start || options.once;
        LogWatcher {
            files: FollowedFiles::new(&options.paths, options.format, options.forget, report_existing),
            state: WatchState {
                verbose: options.verbose,
                runs: GuardedRuns::new(config, options.forget),
                notifiers,
                history: NotificationHistory::default(),
                worst: VerdictName::Clear,
                notifications: 0,
                skipped_lines: 0,
                pauser: None,
                spending: None,
            },
            control: None,
            options,
        }
    }

    /// Lets the user act with keys, if the reporter shows a list of the runs.
    #[must_use]
    pub fn with_keys(mut self, control: Option<KeyControl>) -> Self {
        self.control = control;
        self
    }

    /// Pauses the agent of a run that should be stopped or needs a human.
    #[must_use]
    pub fn with_pauser(mut self, pauser: Option<RunActions>) -> Self {
        self.state.pauser = pauser;
        self
    }

    /// Records the costs of runs in a store and judges the budgets of money by what all sessions there have spent. `settings` are
    /// those of the guards.
    #[must_use]
    pub fn with_spending(mut self, settings: &Settings, store: Option<StoreUrl>) -> Self {
        self.state.spending = SessionSpending::new(settings, store);
        self
    }

    /// Reads what is in the logs already.
    pub fn read_existing(&mut self, reporter: &mut dyn WatchReporter) {
        self.files.read(false, &mut StepReporter { state: &mut self.state, reporter });
    }

    /// Watches until the options or an interrupt end it.
    pub fn run(&mut self, reporter: &mut dyn WatchReporter, interrupts: &Receiver<()>) -> WatchEnd {
        let mut last_growth = Instant::now();
        loop {
            let began = Instant::now();
            let is_final = self.options.once
                || self.options.until_idle.is_some_and(|idle| last_growth.elapsed() >= idle);
            self.files.scan();
            if self.files.read(is_final, &mut StepReporter { state: &mut self.state, reporter }) {
                last_growth = Instant::now();
            }
            self.state.runs.tidy(Instant::now());
            self.state.write_costs(reporter);
            for warning in self.state.notifiers.poll() {
                reporter.message(&format!("warning: {warning}"));
            }
            if reporter.output_state() == OutputState::Failed {
                return WatchEnd::OutputFailed;
            }
            self.show_runs(reporter);
            let is_useless =
                reporter.output_state() == OutputState::NoReader && self.state.notifiers.is_empty();
            if reporter.output_state() == OutputState::Failed {
                return WatchEnd::OutputFailed;
            }
            if is_final || is_useless {
                return WatchEnd::Finished;
            }
            // Checking takes at most a fifth of the time, however many files there are.
            let pause = TICK.max(began.elapsed() * 4);
            if let Some(end) = self.wait(pause, reporter, interrupts) {
                // Everything that was written before the interrupt counts.
                let mut observer = StepReporter { state: &mut self.state, reporter };
                for _ in 0..LAST_ROUNDS {
                    self.files.scan_now();
                    self.files.read(false, &mut observer);
                }
                self.files.flush(&mut observer);
                self.state.write_costs(reporter);
                return end;
            }
        }
    }

    /// Waits until the files are checked again, and handles keys meanwhile. Returns the end of the watch if the user asks for it.
    fn wait(
        &mut self,
        pause: Duration,
        reporter: &mut dyn WatchReporter,
        interrupts: &Receiver<()>,
    ) -> Option<WatchEnd> {
        let until = Instant::now() + pause;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let tick = if self.control.is_some() { left.min(KEY_TICK) } else { left };
            if interrupts.recv_timeout(tick).is_ok() {
                return Some(WatchEnd::Interrupted);
            }
            let rows = if self.control.is_some() { self.rows() } else { Vec::new() };
            match self.control.as_mut().and_then(|control| control.handle_keys(&rows, reporter)) {
                Some(true) => self.show_runs(reporter),
                Some(false) => return Some(WatchEnd::Quit),
                None => {}
            }
            if Instant::now() >= until {
                return None;
            }
        }
    }

    /// Shows the list of runs, if the reporter wants it.
    fn show_runs(&mut self, reporter: &mut dyn WatchReporter) {
        if !reporter.wants_runs() {
            return;
        }
        let mut rows = self.rows();
        let footer = self.control.as_mut().map(|control| {
            control.mark(&mut rows);
            control.footer()
        });
        reporter.runs(rows, footer.as_deref().unwrap_or_default());
    }

    /// Returns the number of links in the watched folders that lead out of them. They are not followed.
    pub fn skipped_links(&self) -> usize {
        self.files.skipped_links
    }

    /// Waits until every notification is delivered, at most `timeout` for all of them together. Commands that have not
    /// ended by then are stopped.
    pub fn finish(&mut self, reporter: &mut dyn WatchReporter, timeout: Duration) {
        for warning in self.state.notifiers.finish(timeout) {
            reporter.message(&format!("warning: {warning}"));
        }
    }

    /// Returns the worst verdict among the steps that were reported.
    pub fn worst_verdict(&self) -> VerdictName {
        self.state.worst
    }

    /// Returns the paths from the options that exist, are not empty and are not logs.
    pub fn paths_without_log(&self) -> Vec<PathBuf> {
        let named = self.files.sources.iter().filter(|source| self.options.paths.contains(&source.tail.path));
        let wrong = named.filter(|source| !source.is_log() && source.tail.size() > 0);
        let mut wrong: Vec<PathBuf> = wrong.map(|source| source.tail.path.clone()).collect();
        // Pipes and devices are never read.
        let is_special =
            |path: &&PathBuf| fs::metadata(path).is_ok_and(|about| !about.is_file() && !about.is_dir());
        wrong.extend(self.options.paths.iter().filter(is_special).cloned());
        wrong.dedup();
        wrong
    }

    /// Returns the totals so far.
    pub fn summary(&self) -> WatchSummary {
        let mut summary = WatchSummary {
            logs: self.files.sources.iter().filter(|source| source.is_log()).count() as u64,
            notifications: self.state.notifications,
            skipped_lines: self.state.skipped_lines,
            unread_logs: self.files.unread_logs() as u64,
            ..WatchSummary::default()
        };
        for (_, run) in self.state.runs.iter() {
            summary.runs += 1;
            summary.steps += run.steps;
            summary.warned += u64::from(run.verdict == VerdictName::Warn);
            summary.stopped += u64::from(run.verdict == VerdictName::Stop);
        }
        summary
    }

    /// Returns the runs for a list: the worst first, then the most recent.
    fn rows(&self) -> Vec<RunRow> {
        let mut runs: Vec<_> = self.state.runs.iter().collect();
        runs.sort_by_key(|(_, run)| std::cmp::Reverse((run.verdict, run.last_step)));
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let now = i64::try_from(now.as_millis()).unwrap_or(i64::MAX);
        let row = |(key, run): (&WatchedRunKey, &crate::guarded_runs::WatchedRun)| RunRow {
            run: key.name.clone(),
            steps: run.steps,
            state: run.verdict.as_str(),
            last: run.last_finding.clone(),
            age: run.times.map(|(_, last)| render_duration(now.saturating_sub(last))),
            cost_usd: run.cost_usd,
            steps_per_minute: run.steps_per_minute(),
            project: run.project.clone(),
            id: format!("{} {} {}", key.source_id, key.generation, key.name),
            log: run.log.clone(),
            ..RunRow::default()
        };
        runs.into_iter().map(row).collect()
    }
}

impl std::fmt::Debug for LogWatcher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LogWatcher").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Receives what is read from the logs, and reports it.
struct StepReporter<'a> {
    state: &'a mut WatchState,
    reporter: &'a mut dyn WatchReporter,
}

impl WatchState {
    /// Writes the costs that wait.
    fn write_costs(&mut self, reporter: &mut dyn WatchReporter) {
        let Some(spending) = &mut self.spending else { return };
        let written = spending.write();
        if let Err(Some(message)) = spending.describe(written) {
            reporter.message(&message);
        }
    }
}

impl StepReporter<'_> {
    /// Prices a step and records its cost, if there is a budget of money. Returns the step with its cost, and what all sessions
    /// had spent before it.
    fn price<'s>(
        &mut self,
        source: usize,
        path: &Path,
        run: &str,
        step: &Step<'s>,
    ) -> (Option<Step<'s>>, Option<SharedSpending>) {
        let Some(spending) = &mut self.state.spending else { return (None, None) };
        let priced = spending.price(step);
        let added = spending.add(source, path, run, priced.as_ref().unwrap_or(step));
        let shared = spending.describe(added).unwrap_or_else(|message| {
            if let Some(message) = &message {
                self.reporter.message(message);
            }
            None
        });
        (priced, shared)
    }

    fn report(&mut self, notification: &LoopNotification) {
        self.state.notifications += 1;
        self.reporter.notification(notification);
        if notification.needs_action() {
            for warning in self.state.notifiers.send(notification) {
                self.reporter.message(&format!("warning: {warning}"));
            }
            if let Some(pauser) = &self.state.pauser {
                self.reporter.message(&pauser.pause(&notification.run, &notification.reason));
            }
        }
    }
}

impl WatchObserver for StepReporter<'_> {
    fn step(&mut self, origin: &StepOrigin, path: &Path, is_live: bool, record: &LogRecord<'_>) {
        let step = &record.step;
        let key = match record.run() {
            Some(run) => WatchedRunKey { source_id: origin.source_id, generation: 0, name: run.into_owned() },
            None => WatchedRunKey {
                source_id: origin.source_id,
                generation: origin.generation,
                name: origin.unnamed_run.clone(),
            },
        };
        let (priced, shared) = self.price(origin.source_id, path, &key.name, step);
        let WatchState { runs, history, worst, verbose, .. } = &mut *self.state;
        history.count_step();
        let (verdict, run) = runs.observe(&key, step, priced.as_ref(), shared);
        if run.log != path {
            path.clone_into(&mut run.log);
        }
        if run.project.is_none() {
            let folder = path.parent().and_then(Path::file_name);
            run.project = folder.map(|folder| folder.to_string_lossy().into_owned());
        }
        let lowest = if *verbose { Intervention::Hint } else { Intervention::Warn };
        let mut due = Vec::new();
        for decision in verdict.decisions.iter().filter(|decision| decision.intervention >= lowest) {
            run.last_finding = format!("turn {}: {}: {}", verdict.turn, decision.detector, decision.reason);
            let source = path.display().to_string();
            let notification =
                LoopNotification::new(&key.name, &source, record.line, step, &verdict, decision);
            due.extend(history.add(origin.source_id, notification, is_live));
        }
        if is_live {
            *worst = (*worst).max(VerdictName::from_findings(&verdict.findings));
        }
        for notification in &due {
            self.report(notification);
        }
    }

    fn line_skipped(&mut self, path: &Path, skipped: &SkippedLine) {
        self.state.skipped_lines += 1;
        self.state.history.count_skipped_line();
        if self.state.verbose {
            let SkippedLine { line, reason } = skipped;
            self.reporter.message(&format!("warning: {}:{line}: {reason}; line skipped", path.display()));
        }
    }

    fn log_restarted(&mut self, path: &Path) {
        if self.state.verbose {
            self.reporter.message(&format!("{}: restarted from the beginning", path.display()));
        }
    }

    fn reread_started(&mut self, source_id: usize) {
        self.state.skipped_lines -= self.state.history.start_reread(source_id);
        self.state.runs.remove_source(source_id);
        if let Some(spending) = &mut self.state.spending {
            spending.remove_source(source_id);
        }
    }

    fn reread_finished(&mut self, source_id: usize) {
        for notification in self.state.history.finish_reread(source_id) {
            self.report(&notification);
        }
    }

    fn warning(&mut self, path: &Path, text: &str) {
        self.reporter.message(&format!("warning: {}: {text}", path.display()));
    }

    fn note(&mut self, path: &Path, text: &str) {
        if self.state.verbose {
            self.reporter.message(&format!("{}: {text}", path.display()));
        }
    }

    fn trim_memory(&mut self) {
        self.state.runs.tidy(Instant::now());
    }
}
