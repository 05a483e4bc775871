//! An iteration that is over, as it is told: to the guard, to the scratchpad, to the store, to the next prompt.

use loopbreak::Usage;
use loopbreak::evidence::EVIDENCE_BYTES;
use loopbreak::text::{clip, mask_secrets};

use crate::process::command_run::{CommandEnd, CommandRun};
use crate::prompt::agent_answer::answer;

/// The text that stands for no output at all.
const SILENT: &str = "(no output)";
/// And for no work either.
const IDLE: &str = "(no output, no file changed)";

/// From how many bytes on a text that is printed again is known to be the one that was told.
const ECHO: usize = 24;

/// One iteration.
#[derive(Debug)]
pub(crate) struct IterationResult {
    pub(crate) number: u64,
    /// In a word or two: `ok`, `failed (exit code 1)`, `timed out`.
    pub(crate) status: String,
    pub(crate) failed: bool,
    /// What the guard is shown. Nothing where work was done without a word.
    pub(crate) outcome: String,
    /// The last thing it said, on one line.
    pub(crate) accomplished: String,
    /// What it died of, on one line.
    pub(crate) errors: String,
    pub(crate) usage: Option<Usage>,
}

impl IterationResult {
    /// `told` is what the agent was told: where it prints that again, it is no work of its own.
    pub(crate) fn new(number: u64, ran: &CommandRun, told: [&str; 2]) -> Self {
        let out = answer(&ran.out).unwrap_or_else(|| ran.out.clone());
        let (out, err) = (&without(&out, told), &without(&ran.err, told));
        let (status, failed) = match ran.end {
            CommandEnd::Exited(status) if status.success() => ("ok".to_owned(), false),
            CommandEnd::Exited(status) => match status.code() {
                Some(code) => (format!("failed (exit code {code})"), true),
                None => (format!("failed ({status})"), true),
            },
            CommandEnd::TimedOut => ("timed out".to_owned(), true),
            CommandEnd::Interrupted => ("interrupted".to_owned(), true),
        };
        let silent = out.trim().is_empty();
        // What is told on the side, such as progress, is no part of what was done, unless there is nothing else.
        let outcome = match (failed, silent) {
            (false, false) => out.clone(),
            (true, false) => format!("{out}\n{err}"),
            (_, true) => err.clone(),
        };
        // Two that failed without a word failed alike.
        let outcome =
            if failed && outcome.trim().is_empty() { format!("{status} {SILENT}") } else { outcome };
        let errors = match (failed, last_line(err)) {
            (false, _) => String::new(),
            (true, line) if line.is_empty() => last_line(out),
            (true, line) => line,
        };
        let cost_usd = cost(&ran.out);
        IterationResult {
            number,
            status,
            failed,
            outcome,
            accomplished: last_line(out),
            errors,
            usage: cost_usd.map(|cost| Usage { cost_usd: Some(cost), ..Usage::default() }),
        }
    }

    /// Whether it ended well without a word. It may have done its work all the same, or have written to a log of its own.
    pub(crate) fn is_silent(&self) -> bool {
        self.outcome.trim().is_empty()
    }

    /// It did nothing either: such iterations are alike.
    pub(crate) fn idled(&mut self) {
        IDLE.clone_into(&mut self.outcome);
    }

    /// On one line, for a history.
    pub(crate) fn line(&self) -> String {
        let said = if self.errors.is_empty() { &self.accomplished } else { &self.errors };
        let said = if said.is_empty() { SILENT } else { said };
        format!("Iteration {}, {}: {said}", self.number, self.status)
    }
}

/// An output without texts that were told. Short ones may be there by chance.
fn without(output: &str, told: [&str; 2]) -> String {
    let mut output = output.to_owned();
    for text in told.map(str::trim).into_iter().filter(|text| text.len() >= ECHO) {
        output = output.replace(text, "");
    }
    output
}

/// The last line that says something: secrets masked, nothing in it that a terminal would obey.
fn last_line(text: &str) -> String {
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    // Masking looks at a little more than is kept, so that a secret that straddles the cut is seen whole.
    let line = mask_secrets(clip(line, 4 * EVIDENCE_BYTES));
    loopbreak_report::printable(clip(&line, EVIDENCE_BYTES))
}

/// What the command says that it cost: the last figure is the sum.
fn cost(output: &str) -> Option<f64> {
    ["\"total_cost_usd\"", "\"cost_usd\""].iter().find_map(|key| {
        let (_, rest) = output.rsplit_once(key)?;
        let rest = rest.trim_start().strip_prefix(':')?.trim_start();
        let end = rest.find(|char: char| !matches!(char, '0'..='9' | '.' | 'e' | 'E' | '-' | '+'));
        rest[..end.unwrap_or(rest.len())].parse().ok().filter(|cost: &f64| cost.is_finite() && *cost >= 0.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cost_is_the_last_figure_told() {
        assert_eq!(cost(r#"{"cost_usd":1}{"type":"result","total_cost_usd": 0.25,"x":1}"#), Some(0.25));
        assert_eq!(cost(r#"{"cost_usd":1}{"cost_usd":2}"#), Some(2.0));
        assert_eq!(cost(r#"{"total_cost_usd":null}"#), None);
        assert_eq!(cost("it costs 3 dollars"), None);
    }
}
