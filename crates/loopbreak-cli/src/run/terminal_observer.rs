//! Shows a run on the terminal, and asks the human in front of it.

use std::io::{self, IsTerminal as _, Write};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use loopbreak_config::{ConfigError, ConfigSource};
use loopbreak_runner::{HumanDecision, InterruptFlag, OutputStream, RunObserver};

use crate::config_loading::print_problems;
use crate::output::{printable, printable_lines};

/// Shows messages on stderr and passes the output of the command on.
#[derive(Debug)]
pub(super) struct TerminalObserver;

impl RunObserver for TerminalObserver {
    fn message(&self, text: &str) {
        anstream::eprintln!("loopbreak: {}", printable_lines(text));
    }

    fn roadmap_problems(&self, source: &ConfigSource, error: &ConfigError) {
        print_problems(Some(source), error);
    }

    fn command_output(&self, stream: OutputStream) -> Box<dyn Write + Send> {
        match stream {
            OutputStream::Stdout => Box::new(io::stdout()),
            OutputStream::Stderr => Box::new(io::stderr()),
        }
    }

    fn escalate(&self, report: &str, interrupts: &InterruptFlag) -> Option<HumanDecision> {
        anstream::eprintln!("\n{}\n", report.lines().map(printable).collect::<Vec<_>>().join("\n"));
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            return None;
        }
        loop {
            anstream::eprint!("1, 2 or 3? (after 1, add a message for the agent if you like) ");
            let line = read_line(interrupts)?;
            if let Some(decision) = HumanDecision::parse(&line) {
                return Some(decision);
            }
        }
    }
}

/// Reads a line from standard input. Returns `None` at its end, or on an interrupt.
fn read_line(interrupts: &InterruptFlag) -> Option<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        let mut line = String::new();
        let read = io::stdin().read_line(&mut line);
        let _ = sender.send(read.ok().filter(|count| *count > 0).map(|_| line));
    });
    loop {
        match lines.recv_timeout(Duration::from_millis(50)) {
            Ok(line) => return line,
            Err(RecvTimeoutError::Timeout) if !interrupts.is_interrupted() => {}
            Err(_) => return None,
        }
    }
}
