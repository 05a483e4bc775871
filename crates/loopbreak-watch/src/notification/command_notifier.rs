//! Notification by a command of the user.

use std::collections::VecDeque;
use std::io;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use loopbreak::text::clip;
use loopbreak_arena::line_protocol::process_group::{self, StopSignal};

use super::{LoopNotification, NotifierError, split_command_line};

/// Environment variables that the command receives. They are not settings: a command that calls Loopbreak is not
/// configured by them.
pub const COMMAND_VARIABLES: [&str; 8] = [
    "LOOPBREAK_RUN",
    "LOOPBREAK_REASON",
    "LOOPBREAK_DETECTOR",
    "LOOPBREAK_PATTERN",
    "LOOPBREAK_INTERVENTION",
    "LOOPBREAK_SOURCE",
    "LOOPBREAK_TURN",
    "LOOPBREAK_LOOP",
];

/// Upper bound of commands that run at the same time.
const MAX_RUNNING: usize = 16;
/// The longest time that a command may take. One that hangs must not keep others from being started.
const MAX_TIME: Duration = Duration::from_mins(10);
/// The time that a command has to clean up before it is killed.
const GRACE: Duration = Duration::from_millis(500);
/// Upper bound of the bytes of a variable. Systems limit each variable, and all of them together; a command that cannot
/// be started stops nothing.
const MAX_VARIABLE_BYTES: usize = 8 * 1024;

/// Prepares a text as the value of an environment variable: it has no NUL, and at most 8 kB, so that the command can be
/// started whatever a log says.
pub fn variable_value(text: &str) -> String {
    clip(text, MAX_VARIABLE_BYTES).replace('\0', " ")
}

/// Starts a command for each notification, one at a time per run.
#[derive(Debug)]
pub struct CommandNotifier {
    words: Vec<String>,
    running: Vec<RunningCommand>,
    /// At most one per run and task: the latest.
    waiting: VecDeque<LoopNotification>,
    quiet: bool,
}

/// A command that was started.
#[derive(Debug)]
struct RunningCommand {
    /// The run that it is about.
    run: String,
    child: Child,
    started: Instant,
}

impl RunningCommand {
    /// Ends the command with all its processes: with a request first, then by force.
    fn stop(&mut self) {
        process_group::stop(&mut self.child, StopSignal::Terminate);
        let began = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && began.elapsed() < GRACE {
            std::thread::sleep(Duration::from_millis(10));
        }
        process_group::stop(&mut self.child, StopSignal::Kill);
        // It was killed, so this does not take long.
        let _ = self.child.wait();
    }
}

impl CommandNotifier {
    /// Parses the command. `quiet` discards what the command prints.
    pub fn new(command: &str, quiet: bool) -> Result<Self, NotifierError> {
        let words = split_command_line(command)
            .filter(|words| !words.is_empty())
            .ok_or_else(|| NotifierError::Command(command.to_owned()))?;
        Ok(CommandNotifier { words, running: Vec::new(), waiting: VecDeque::new(), quiet })
    }

    /// Queues a notification. [`CommandNotifier::poll`] starts the command for it.
    pub fn queue(&mut self, notification: &LoopNotification) {
        let key = key(notification);
        // A notification about another task of the run is still valid.
        self.waiting.retain(|waiting| self::key(waiting) != key || waiting.task != notification.task);
        self.waiting.push_back(notification.clone());
    }

    /// Collects the commands that have ended and starts those that are due. Returns warnings for the user.
    pub fn poll(&mut self) -> Vec<String> {
        let mut warnings = Vec::new();
        self.running.retain_mut(|command| match command.child.try_wait() {
            Ok(None) if command.started.elapsed() >= MAX_TIME => {
                command.stop();
                let minutes = MAX_TIME.as_secs() / 60;
                warnings.push(format!("--exec for {}: stopped after {minutes} minutes", command.run));
                false
            }
            Ok(None) => true,
            Ok(Some(status)) if status.success() => false,
            Ok(Some(status)) => {
                warnings.push(format!("--exec for {}: {status}", command.run));
                false
            }
            Err(error) => {
                warnings.push(format!("--exec for {}: {error}", command.run));
                false
            }
        });
        for notification in std::mem::take(&mut self.waiting) {
            let key = key(&notification);
            if self.running.len() >= MAX_RUNNING || self.running.iter().any(|command| command.run == key) {
                self.waiting.push_back(notification);
                continue;
            }
            match self.start(&notification) {
                Ok(child) => {
                    self.running.push(RunningCommand { run: key, child, started: Instant::now() });
                }
                Err(error) => warnings.push(format!("--exec: cannot start {:?}: {error}", self.words[0])),
            }
        }
        warnings
    }

    /// Waits until every command has ended, at most `timeout`, and stops those that have not. Returns warnings for the
    /// user.
    pub fn finish(&mut self, timeout: Duration) -> Vec<String> {
        let until = Instant::now() + timeout;
        let mut warnings = self.poll();
        while !(self.running.is_empty() && self.waiting.is_empty()) {
            if Instant::now() >= until {
                for mut command in self.running.drain(..) {
                    command.stop();
                    let seconds = timeout.as_secs_f64();
                    warnings.push(format!("--exec for {}: stopped after {seconds} s", command.run));
                }
                let unsent = std::mem::take(&mut self.waiting).len();
                if unsent > 0 {
                    warnings.push(format!("--exec: not started for {unsent} more in time"));
                }
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
            warnings.extend(self.poll());
        }
        warnings
    }

    fn start(&self, notification: &LoopNotification) -> io::Result<Child> {
        let (intervention, turn) = (notification.intervention.as_str(), notification.turn.to_string());
        let loop_id = notification.loop_id.to_string();
        let values = [
            notification.run.as_str(),
            &notification.reason,
            notification.detector.as_str(),
            notification.pattern.as_str(),
            intervention,
            &notification.source,
            &turn,
            &loop_id,
        ];
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]).stdin(Stdio::null());
        if self.quiet {
            command.stdout(Stdio::null()).stderr(Stdio::null());
        } else {
            // Standard output is for data.
            command.stdout(io::stderr());
        }
        for (name, value) in COMMAND_VARIABLES.iter().zip(values) {
            command.env(name, variable_value(value));
        }
        // All its processes can be stopped together.
        process_group::isolate(&mut command);
        command.spawn()
    }
}

fn key(notification: &LoopNotification) -> String {
    format!("{} ({})", notification.run, notification.source)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use loopbreak::{Config, Decision, Guard, Step};

    use super::*;

    fn notification(run: &str) -> LoopNotification {
        let mut guard = Guard::new(Config::default());
        let line = r#"{"action":"x","outcome":"same","score":0}"#;
        let step = Step::from_json(line).unwrap();
        let verdict = std::iter::repeat_with(|| guard.observe(&step)).take(100);
        let verdict = verdict.into_iter().find(|verdict| !verdict.decisions.is_empty()).unwrap();
        let decision: &Decision = &verdict.decisions[0];
        LoopNotification::new(run, "log.jsonl", 1, &step, &verdict, decision)
    }

    /// Systems refuse to start a command with a variable of more than 128 kB, and then nothing stops the run.
    #[test]
    fn a_run_with_an_endless_name_still_starts_the_command() {
        let folder = tempfile::tempdir().unwrap();
        let acted = folder.path().join("acted");
        let command = format!("sh -c 'printf %s \"$LOOPBREAK_RUN\" > {}'", acted.display());
        let mut notifier = CommandNotifier::new(&command, true).unwrap();
        notifier.queue(&notification(&format!("a\0b{}", "x".repeat(3_000_000))));
        assert_eq!(notifier.finish(Duration::from_mins(1)), Vec::<String>::new());
        let name = std::fs::read_to_string(acted).unwrap();
        assert!(name.starts_with("a bxx") && name.len() == MAX_VARIABLE_BYTES, "{}", name.len());
    }

    /// A command that hangs must neither delay the end nor stay behind, with whatever it started.
    #[test]
    fn a_command_that_hangs_is_stopped_with_all_its_processes() {
        let folder = tempfile::tempdir().unwrap();
        let pids = folder.path().join("pids");
        let script = format!("trap \"\" TERM; sleep 300 & echo $$ $! > {}; wait; sleep 300", pids.display());
        let mut notifier = CommandNotifier::new(&format!("sh -c '{script}'"), true).unwrap();
        notifier.queue(&notification("it"));
        notifier.poll();
        while std::fs::read_to_string(&pids).map_or(0, |text| text.split_whitespace().count()) < 2 {
            std::thread::sleep(Duration::from_millis(10));
        }
        let began = Instant::now();
        let warnings = notifier.finish(Duration::from_millis(100));
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
        assert_eq!(warnings, ["--exec for it (log.jsonl): stopped after 0.1 s"]);
        let running = |pid: &str| {
            let state = Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap().stdout;
            !state.is_empty() && !state.starts_with(b"Z")
        };
        let text = std::fs::read_to_string(&pids).unwrap();
        for _ in 0..500 {
            if !text.split_whitespace().any(running) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("still running: {text}");
    }
}
