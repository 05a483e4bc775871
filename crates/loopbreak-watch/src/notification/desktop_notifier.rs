//! Notification on the desktop, through the program that the system has for it.

use std::env;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{LoopNotification, NotificationText, NotifierError};

/// The program on Linux and other systems with D-Bus, and on macOS.
const PROGRAM: &str = if cfg!(target_os = "macos") { "osascript" } else { "notify-send" };
/// The longest time that the program may take.
const MAX_TIME: Duration = Duration::from_secs(10);
/// Upper bound of programs that run at the same time. More notices at once help nobody.
const MAX_RUNNING: usize = 4;

/// Shows notifications on the desktop.
#[derive(Debug, Default)]
pub struct DesktopNotifier {
    running: Vec<(Child, Instant)>,
}

impl DesktopNotifier {
    /// Checks that the system has a program for it.
    pub fn new() -> Result<Self, NotifierError> {
        if cfg!(windows) {
            return Err(NotifierError::DesktopUnsupported);
        }
        let is_there = |folder: &Path| folder.join(PROGRAM).is_file();
        let path = env::var_os("PATH").unwrap_or_default();
        let found = env::split_paths(&path).any(|folder| is_there(&folder));
        if found {
            Ok(DesktopNotifier::default())
        } else {
            Err(NotifierError::DesktopProgramMissing(PROGRAM))
        }
    }

    /// Shows a notification. Returns a warning for the user if that fails.
    pub fn show(&mut self, notification: &LoopNotification) -> Option<String> {
        if self.running.len() >= MAX_RUNNING {
            return Some("--notify desktop: too many notifications at once; one was dropped".to_owned());
        }
        let mut command = Command::new(PROGRAM);
        command.args(arguments(&notification.text()));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        match command.spawn() {
            Ok(child) => {
                self.running.push((child, Instant::now()));
                None
            }
            Err(error) => Some(format!("--notify desktop: cannot start {PROGRAM}: {error}")),
        }
    }

    /// Collects the programs that have ended. Returns warnings for the user.
    pub fn poll(&mut self) -> Vec<String> {
        let mut warnings = Vec::new();
        self.running.retain_mut(|(child, started)| match child.try_wait() {
            Ok(None) if started.elapsed() < MAX_TIME => true,
            Ok(None) => {
                end(child);
                warnings.push(format!("--notify desktop: {PROGRAM} did not end in time"));
                false
            }
            Ok(Some(status)) if status.success() => false,
            Ok(Some(status)) => {
                warnings.push(format!("--notify desktop: {PROGRAM}: {status}"));
                false
            }
            Err(error) => {
                warnings.push(format!("--notify desktop: {PROGRAM}: {error}"));
                false
            }
        });
        warnings
    }

    /// Waits until every program has ended, at most `timeout`, and ends the others. Returns warnings for the user.
    pub fn finish(&mut self, timeout: Duration) -> Vec<String> {
        let until = Instant::now() + timeout;
        let mut warnings = self.poll();
        while !self.running.is_empty() {
            if Instant::now() >= until {
                self.running.drain(..).for_each(|(mut child, _)| end(&mut child));
                warnings.push(format!("--notify desktop: {PROGRAM} did not end in time"));
                break;
            }
            thread::sleep(Duration::from_millis(10));
            warnings.extend(self.poll());
        }
        warnings
    }
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// Returns the arguments of the program. The texts are arguments of their own, so nothing in them can become an option or a part of a
/// script.
fn arguments(text: &NotificationText) -> Vec<String> {
    let fixed: &[&str] = if cfg!(target_os = "macos") {
        &[
            "-e",
            "on run argv",
            "-e",
            "display notification (item 2 of argv) with title (item 1 of argv)",
            "-e",
            "end run",
            "--",
        ]
    } else {
        &["--app-name=loopbreak", "--urgency=critical", "--"]
    };
    let body = if cfg!(target_os = "macos") { text.body() } else { escape_markup(&text.body()) };
    fixed.iter().map(|word| (*word).to_owned()).chain([text.title.clone(), body]).collect()
}

/// Escapes the markup that servers of D-Bus notifications accept in the body.
fn escape_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
