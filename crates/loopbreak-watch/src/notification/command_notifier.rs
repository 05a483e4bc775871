//! Notification by a command of the user.

use std::collections::VecDeque;
use std::io;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

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

/// Starts a command for each notification, one at a time per run.
#[derive(Debug)]
pub struct CommandNotifier {
    words: Vec<String>,
    running: Vec<(String, Child)>,
    /// At most one per run and task: the latest.
    waiting: VecDeque<LoopNotification>,
    quiet: bool,
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
        self.running.retain_mut(|(run, child)| match child.try_wait() {
            Ok(None) => true,
            Ok(Some(status)) if status.success() => false,
            Ok(Some(status)) => {
                warnings.push(format!("--exec for {run}: {status}"));
                false
            }
            Err(error) => {
                warnings.push(format!("--exec for {run}: {error}"));
                false
            }
        });
        for notification in std::mem::take(&mut self.waiting) {
            let key = key(&notification);
            if self.running.len() >= MAX_RUNNING || self.running.iter().any(|(running, _)| *running == key) {
                self.waiting.push_back(notification);
                continue;
            }
            match self.start(&notification) {
                Ok(child) => self.running.push((key, child)),
                Err(error) => warnings.push(format!("--exec: cannot start {:?}: {error}", self.words[0])),
            }
        }
        warnings
    }

    /// Waits until every command has ended, at most `timeout`. Returns warnings for the user.
    pub fn finish(&mut self, timeout: Duration) -> Vec<String> {
        let until = Instant::now() + timeout;
        let mut warnings = self.poll();
        while !(self.running.is_empty() && self.waiting.is_empty()) {
            if Instant::now() >= until {
                warnings.push(format!("--exec: {} still running; not waiting for them", self.running.len()));
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
            // An environment variable cannot contain NUL.
            command.env(name, value.replace('\0', " "));
        }
        command.spawn()
    }
}

fn key(notification: &LoopNotification) -> String {
    format!("{} ({})", notification.run, notification.source)
}
