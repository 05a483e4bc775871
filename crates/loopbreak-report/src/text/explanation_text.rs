//! An explained step as text.

use std::fmt::{self, Display, Formatter};

use loopbreak::explain::{
    ActionExplanation, KindSource, OutcomeExplanation, StepAuthor, StepExplanation, TargetSource,
};
use loopbreak::text::printable;

use super::TextStyle;

/// Column at which values begin.
const VALUES: usize = 17;

/// Writes an explained step as a heading and a line per fact.
#[derive(Debug)]
pub struct ExplanationText<'e> {
    style: &'e TextStyle,
    source: &'e str,
    line: u64,
    step: &'e StepExplanation,
}

impl<'e> ExplanationText<'e> {
    /// Prepares the text of a step, which is on a line of a source.
    pub fn new(style: &'e TextStyle, source: &'e str, line: u64, step: &'e StepExplanation) -> Self {
        ExplanationText { style, source, line, step }
    }

    fn row(&self, f: &mut Formatter<'_>, name: &str, value: &str) -> fmt::Result {
        let line = format!("  {name:<width$}{}", printable(value), width = VALUES - 2);
        writeln!(f, "{}", self.style.wrap_line(line.trim_end(), self.style.width, VALUES))
    }

    fn heading(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (bold, dim) = (self.style.bold(), self.style.dim());
        let StepExplanation { run, turn, agent, refused, .. } = self.step;
        let kind = if *refused { "refused proposal at turn" } else { "turn" };
        write!(f, "{bold}{kind} {turn}{bold:#}")?;
        if let Some(run) = run {
            write!(f, " of {}", printable(run))?;
        }
        if agent != "main" {
            write!(f, ", agent {}", printable(agent))?;
        }
        writeln!(f, "{dim}  {}:{}{dim:#}", printable(self.source), self.line)
    }

    fn action(&self, f: &mut Formatter<'_>, action: &ActionExplanation) -> fmt::Result {
        let args = action.args.as_deref().unwrap_or_default();
        self.row(f, "action", &format!("{} {args}", action.name))?;
        if let Some(spelled) = &action.spelled {
            self.row(f, "  spelled", spelled)?;
        }
        for left in &action.left_out {
            self.row(f, "  left out", &format!("{}: it {}", left.name, predicate(left.reason)))?;
        }
        let from = match action.kind_from {
            KindSource::Log => "the log names it",
            KindSource::Settings => "[[tool]] in the settings",
            _ => "the table of tool names and commands",
        };
        self.row(f, "  kind", &format!("{}, from {from}", action.kind).replace("from the log", "the log"))?;
        if !action.targets.is_empty() {
            let from = match action.targets_from {
                Some(TargetSource::Log) => "the log names it",
                Some(TargetSource::Argument) => "from an argument",
                Some(TargetSource::Command) => "words of the command; the one that a failure names counts",
                _ => "the object of the command",
            };
            self.row(f, "  target", &format!("{} ({from})", action.targets.join(", ")))?;
        }
        if let Some(reason) = action.waits {
            self.row(f, "  waits", &format!("yes: {}", reason.description()))?;
        }
        if action.mutates {
            self.row(f, "  mutates", "yes: every call has a side effect outside")?;
        }
        if action.changes {
            self.row(f, "  changes", "yes: no earlier step made this change")?;
        }
        if action.allowed {
            self.row(f, "  allowed", "yes: a rule [[allow]] covers it, so it is not judged")?;
        }
        self.row(f, "  fingerprint", &action.fingerprint)
    }

    fn outcome(&self, f: &mut Formatter<'_>, outcome: &OutcomeExplanation) -> fmt::Result {
        self.row(f, "outcome", &format!("{}: {}", outcome.result, outcome.reason.description()))?;
        if let (Some(compared), Some(form)) = (&outcome.compared, outcome.form) {
            self.row(f, "  compared", compared)?;
            self.row(f, "", &format!("({})", form.description()))?;
        }
        if !outcome.masked.is_empty() {
            self.row(f, "  masked", &outcome.masked.join(", "))?;
        }
        if !outcome.left_out.is_empty() {
            self.row(f, "  left out", &format!("fields {}", outcome.left_out.join(", ")))?;
        }
        match &outcome.fingerprint {
            Some(fingerprint) => self.row(f, "  fingerprint", fingerprint),
            None => Ok(()),
        }
    }
}

/// Puts a verb before a reason that has none.
fn predicate(reason: &str) -> String {
    if reason.starts_with("declared") { format!("is {reason}") } else { reason.to_owned() }
}

impl Display for ExplanationText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.heading(f)?;
        let step = self.step;
        match (step.author, step.harness) {
            (StepAuthor::User, _) => self.row(f, "origin", "a human: it ends streaks of repetition")?,
            (_, Some(event)) => {
                self.row(f, "origin", &format!("the harness: {event}, which is not the word of a human"))?;
            }
            _ => {}
        }
        if step.renumbered {
            self.row(f, "turn", "renumbered: the turn that the step names cannot follow the one before")?;
        }
        if step.further {
            self.row(f, "progress", "yes: further than all steps before")?;
        }
        if let Some(batch) = &step.batch {
            let part = match (batch.repeats_call, batch.repeats_failure) {
                (_, true) => "another failure of the same message: one attempt",
                (true, false) => "the same call as an earlier one of the message",
                _ => "one decision with the other calls of the message",
            };
            self.row(f, "batch", &format!("{}: {part}", batch.name))?;
        }
        if let Some(action) = &step.action {
            self.action(f, action)?;
        }
        if let Some(outcome) = &step.outcome {
            self.outcome(f, outcome)?;
        }
        if let Some(fingerprint) = &step.fingerprint {
            self.row(f, "together", fingerprint)?;
        }
        if let Some(signature) = &step.signature {
            let used = if signature.compared { "" } else { ", not compared: the step has an action" };
            self.row(f, "signature", &format!("{} ({}{used})", signature.text, signature.kind))?;
        }
        Ok(())
    }
}
