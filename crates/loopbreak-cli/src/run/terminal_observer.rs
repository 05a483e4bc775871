//! Shows a run on the terminal, and asks the human in front of it.

use std::io::{self, IsTerminal as _, Write};

use loopbreak_config::{ConfigError, ConfigSource};
use loopbreak_runner::{HumanDecision, InterruptFlag, OutputStream, RunObserver};

use crate::config_loading::print_problems;
use crate::output::{print_message, printable, printable_lines};

/// Shows messages on stderr and passes the output of the command on.
#[derive(Debug)]
pub(super) struct TerminalObserver {
    /// Shows only warnings and questions.
    pub(super) quiet: bool,
}

impl RunObserver for TerminalObserver {
    fn message(&self, text: &str) {
        if !self.quiet {
            print_message("loopbreak", &printable_lines(text));
        }
    }

    fn warning(&self, text: &str) {
        print_message("loopbreak: warning", &printable_lines(text));
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
        eprint_line!("\n{}\n", report.lines().map(printable).collect::<Vec<_>>().join("\n"));
        if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
            return None;
        }
        loop {
            anstream::eprint!("1, 2 or 3? (after 1, add a message for the agent if you like) ");
            let line = interrupts.read_line()?;
            if let Some(decision) = HumanDecision::parse(&line) {
                return Some(decision);
            }
        }
    }
}
