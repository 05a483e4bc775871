//! The status line of another command.

use std::process::Command;
use std::time::Duration;

use crate::limited_process::run_limited;

/// Longest output that is passed on, in bytes.
const MAX_BYTES: usize = 8_000;

/// Runs a command line with the input of the status line and returns its output. Empty if it fails or takes too long.
pub(super) fn run_wrapped(command: &str, input: &[u8], limit: Duration) -> String {
    let mut shell = if cfg!(windows) { Command::new("cmd") } else { Command::new("/bin/sh") };
    shell.arg(if cfg!(windows) { "/C" } else { "-c" }).arg(command);
    let output = run_limited(&mut shell, input, limit);
    let output = output.ok().filter(|output| output.status.success());
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    loopbreak::text::clip(text.trim_end(), MAX_BYTES).to_owned()
}
