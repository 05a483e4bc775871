//! From arguments to a watch, and to its end.

use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use loopbreak::{Decision, Intervention};
use loopbreak_analysis::VerdictName;
use loopbreak_report::plural;
use loopbreak_trace::{LogRecord, SkippedLine};
use loopbreak_watch::notification::{LoopNotification as Notice, NotifierSet};

use super::args::WatchArgs;
use super::files::Files;
use super::log::{Audience, Origin};
use super::runs::Runs;
use super::show::{Manner, Row, Show};
use super::told::Told;
use crate::args::FailOn;
use crate::error::UserError;
use crate::{exit, output};

/// How often files are looked at.
const TICK: Duration = Duration::from_millis(200);
/// How long commands and notices that are under way are waited for at the end, and after an interrupt.
const PATIENCE: Duration = Duration::from_mins(1);
const IN_A_HURRY: Duration = Duration::from_secs(2);

/// How often all is looked at once more after an interrupt.
const LAST_ROUNDS: usize = 3;

/// Watches until it is told to end.
pub(crate) fn run(args: &WatchArgs) -> Result<u8, UserError> {
    let config = crate::config::load(&args.config)?;
    if args.paths.iter().any(|path| path == Path::new("-")) {
        return Err(UserError::usage("standard input cannot be watched")
            .hint("let the agent write to a file, or use: my-agent | loopbreak analyze -"));
    }
    let dumb = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    let manner = match (args.json, args.plain || args.once || dumb || !output::is_terminal()) {
        (true, _) => Manner::Json,
        (_, true) => Manner::Lines,
        _ => Manner::List,
    };
    let notifiers = NotifierSet::new(args.exec.as_deref(), &args.notify, manner == Manner::List)?;
    let interrupts = interrupts()?;
    let tell_all = args.from_start || args.once;
    let mut files = Files::new(&args.paths, args.format, args.forget, tell_all);
    let missing = args.paths.iter().filter(|path| !path.exists());
    let mut watch = Watch {
        args,
        runs: Runs::new(config, args.forget),
        show: Show::new(manner),
        notifiers,
        told: Told::default(),
        worst: VerdictName::Clear,
        notices: 0,
        skipped: 0,
        failed: None,
    };
    let mut lacking = false;
    for path in missing {
        let what = if args.once { "no such file or folder" } else { "not there yet; waiting for it" };
        watch.show.say(&format!("{}: {what}", path.display()));
        lacking = true;
    }
    files.read(false, &mut watch);
    watch.greet(&files);
    let ended = watch.follow(&mut files, &interrupts)?;
    if args.once {
        for source in files.sources.iter().filter(|source| args.paths.contains(&source.tail.path)) {
            if !source.is_log() && source.tail.size() > 0 {
                watch.show.say(&format!("{}: not a log", source.tail.path.display()));
                lacking = true;
            }
        }
    }
    watch.close(ended == Ended::Interrupted);
    let fails = args.fail_on.is_some_and(|fail_on| {
        watch.worst
            >= match fail_on {
                FailOn::Warn => VerdictName::Warn,
                FailOn::Stop => VerdictName::Stop,
            }
    });
    Ok(match ended {
        Ended::Interrupted => exit::INTERRUPTED,
        _ if fails => exit::LOOP,
        _ if args.once && lacking => exit::FAILED,
        Ended::Done => exit::DONE,
    })
}

/// Where an interrupt is heard. The second one ends the program at once.
fn interrupts() -> Result<Receiver<()>, UserError> {
    let (sender, receiver) = channel();
    let mut before = false;
    ctrlc::set_handler(move || {
        if std::mem::replace(&mut before, true) {
            std::process::exit(i32::from(exit::INTERRUPTED));
        }
        let _ = sender.send(());
    })
    .map_err(|error| UserError::failed(format!("cannot listen for interrupts: {error}")))?;
    Ok(receiver)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ended {
    Done,
    Interrupted,
}

struct Watch<'w> {
    args: &'w WatchArgs,
    runs: Runs,
    show: Show,
    notifiers: NotifierSet,
    told: Told,
    /// The worst that was told of.
    worst: VerdictName,
    /// How often something was told.
    notices: u64,
    skipped: u64,
    /// Standard output is gone.
    failed: Option<UserError>,
}

impl Watch<'_> {
    fn greet(&mut self, files: &Files) {
        let logs = files.sources.iter().filter(|source| source.is_log()).count();
        let (mut warned, mut stopped, mut all) = (0, 0, 0);
        for (_, run) in self.runs.iter() {
            all += 1;
            warned += u64::from(run.verdict == VerdictName::Warn);
            stopped += u64::from(run.verdict == VerdictName::Stop);
        }
        if !self.args.once {
            let already = if self.args.from_start { "" } else { " already" };
            self.show.say(&format!(
                "watching {} with {}: {stopped} to be stopped{already}, {warned} warned",
                plural(logs as u64, "log"),
                plural(all, "run")
            ));
        }
    }

    fn follow(&mut self, files: &mut Files, interrupts: &Receiver<()>) -> Result<Ended, UserError> {
        let mut grew = Instant::now();
        loop {
            let began = Instant::now();
            let over = self.args.once || self.args.until_idle.is_some_and(|idle| grew.elapsed() >= idle);
            files.scan();
            if files.read(over, self) {
                grew = Instant::now();
            }
            self.tidy();
            self.tell_of_failures();
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            let rows = self.rows();
            self.show.list(rows)?;
            if over || self.is_in_vain() {
                return Ok(Ended::Done);
            }
            // However much there is to look at, it takes no more than a fifth of the time.
            let pause = TICK.max(began.elapsed() * 4);
            if interrupts.recv_timeout(pause).is_ok() {
                // What was written before the interrupt counts. What was moved is found where it is in the next round.
                for _ in 0..LAST_ROUNDS {
                    files.scan_now();
                    files.read(false, self);
                }
                files.give_up_waiting(self);
                return Ok(Ended::Interrupted);
            }
        }
    }

    /// Nobody is told anything any more.
    fn is_in_vain(&self) -> bool {
        self.show.is_alone && self.notifiers.is_empty()
    }

    fn tell_of_failures(&mut self) {
        for text in self.notifiers.poll() {
            self.show.say(&format!("warning: {text}"));
        }
    }

    /// The list of runs: the worst first, then those heard of last.
    fn rows(&self) -> Vec<Row> {
        if self.show.manner != Manner::List {
            return Vec::new();
        }
        let mut runs: Vec<_> = self.runs.iter().collect();
        runs.sort_by_key(|(_, run)| std::cmp::Reverse((run.verdict, run.heard)));
        let row = |((_, _, name), run): (&super::runs::Key, &super::runs::Run)| Row {
            run: name.clone(),
            steps: run.steps,
            state: run.verdict.as_str(),
            last: run.last.clone(),
        };
        runs.into_iter().map(row).collect()
    }

    /// Waits for what is under way, and sums up.
    fn close(&mut self, hurry: bool) {
        self.show.finish();
        let longest = if hurry { IN_A_HURRY } else { PATIENCE };
        for text in self.notifiers.finish(longest) {
            self.show.say(&format!("warning: {text}"));
        }
        let (mut warned, mut stopped, mut all, mut steps) = (0, 0, 0, 0);
        for (_, run) in self.runs.iter() {
            all += 1;
            steps += run.steps;
            warned += u64::from(run.verdict == VerdictName::Warn);
            stopped += u64::from(run.verdict == VerdictName::Stop);
        }
        let skipped = if self.skipped > 0 {
            format!(", {} skipped", plural(self.skipped, "line"))
        } else {
            String::new()
        };
        self.show.say(&format!(
            "watched {}, {}: {stopped} to be stopped, {warned} only warned; told {}{skipped}",
            plural(all, "run"),
            plural(steps, "step"),
            plural(self.notices, "time")
        ));
    }

    fn tell(&mut self, notice: &Notice) {
        self.notices += 1;
        if let Err(error) = self.show.notice(notice) {
            self.failed.get_or_insert(error);
        }
        if notice.needs_action() {
            if self.args.bell {
                Show::ring();
            }
            for trouble in self.notifiers.send(notice) {
                self.show.say(&format!("warning: {trouble}"));
            }
        }
    }
}

impl Audience for Watch<'_> {
    fn step(&mut self, origin: &Origin, path: &Path, aloud: bool, record: &LogRecord<'_>) {
        let step = &record.step;
        let key = match record.run() {
            Some(run) => (origin.home, 0, run.into_owned()),
            None => (origin.home, origin.life, origin.unnamed.clone()),
        };
        self.told.step();
        let (verdict, state) = self.runs.observe(&key, step);
        let shown = |act: &&Decision| self.args.verbose || act.intervention != Intervention::Hint;
        let mut notices = Vec::new();
        for act in verdict.decisions.iter().filter(shown) {
            state.last = format!("turn {}: {}: {}", verdict.turn, act.detector, act.reason);
            let notice = Notice::new(&key.2, &path.display().to_string(), record.line, step, &verdict, act);
            notices.extend(self.told.found(origin.home, notice, aloud));
        }
        if aloud {
            self.worst = self.worst.max(VerdictName::from_findings(&verdict.findings));
        }
        for notice in &notices {
            self.tell(notice);
        }
    }

    fn skipped(&mut self, path: &Path, skipped: &SkippedLine) {
        self.skipped += 1;
        self.told.skipped();
        if self.args.verbose {
            let SkippedLine { line, reason } = skipped;
            self.show.say(&format!("warning: {}:{line}: {reason}; line skipped", path.display()));
        }
    }

    fn anew(&mut self, path: &Path) {
        if self.args.verbose {
            self.show.say(&format!("{}: begins anew", path.display()));
        }
    }

    fn again(&mut self, home: usize) {
        self.skipped -= self.told.again(home);
        self.runs.drop_home(home);
    }

    fn all(&mut self, home: usize) {
        for notice in self.told.all(home) {
            self.tell(&notice);
        }
    }

    fn say(&mut self, path: &Path, what: &str) {
        self.show.say(&format!("warning: {}: {what}", path.display()));
    }

    fn aside(&mut self, path: &Path, what: &str) {
        if self.args.verbose {
            self.show.say(&format!("{}: {what}", path.display()));
        }
    }

    fn tidy(&mut self) {
        self.runs.tidy(Instant::now());
    }
}
