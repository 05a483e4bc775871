//! Explains steps of arguments and logs, and prints them.

use std::io::{self, Cursor, Write};

use loopbreak::explain::StepExplanation;
use loopbreak_analysis::{ExplainOptions, LogReadSummary, StepSelection, explain_log, report_unread_inputs};
use loopbreak_report::outputs::VisibleJson;
use loopbreak_report::text::ExplanationText;
use loopbreak_trace::{LogFormat, OpenedLog, expand_paths};
use serde::Serialize;

use super::args::ExplainStepArgs;
use crate::error::UserError;
use crate::{config_loading, exit, output};

/// Name of a run whose steps were given as arguments.
const ARGUMENT: &str = "argument";

/// One line of the JSON output.
#[derive(Serialize)]
struct ExplanationLine<'e> {
    schema: &'static str,
    source: &'e str,
    line: u64,
    #[serde(flatten)]
    step: &'e StepExplanation,
}

pub(crate) fn run(args: &ExplainStepArgs) -> Result<u8, UserError> {
    let config = config_loading::load(&args.config)?;
    let (given, paths): (Vec<&String>, Vec<&String>) =
        args.steps.iter().partition(|text| text.trim_start().starts_with('{'));
    let inputs = expand_paths(&paths);
    let mut diagnostics = output::diagnostics(args.quiet, args.verbose);
    let options = |run: String| ExplainOptions {
        config: config.clone(),
        selection: StepSelection { run: args.run.clone(), turns: args.turns.clone() },
        default_run: run,
        notes: diagnostics.notes_per_log().max(1),
    };
    let style = output::text_style();
    let (mut number, mut refused, mut logs) = (0_u64, None, Vec::new());
    let mut explain = |out: &mut dyn Write| -> io::Result<()> {
        let mut show = |source: &str, line: u64, step: &StepExplanation| {
            number += 1;
            if args.json {
                let line = ExplanationLine { schema: "loopbreak.explain_step/1", source, line, step };
                serde_json::to_writer(VisibleJson::escaped(&mut *out), &line)?;
                return out.write_all(b"\n");
            }
            let gap = if number > 1 { "\n" } else { "" };
            write!(out, "{gap}{}", ExplanationText::new(&style, source, line, step))
        };
        if !given.is_empty() {
            // Steps in several arguments are steps of one run, as if they were lines of one log.
            let text = given.iter().map(|step| step.trim()).collect::<Vec<_>>().join("\n");
            let format = args.format.unwrap_or(LogFormat::STEPS);
            let log = OpenedLog::from_stream(Cursor::new(text), Some(format), |_| {});
            let read =
                explain_log(log, options(ARGUMENT.to_owned()), &mut |line, step| show(ARGUMENT, line, step))?;
            refused = unread_argument(&read, given.len());
        }
        for input in &inputs.inputs {
            let (log, name) = (input.open(args.format, |_| {}), input.name());
            logs.push(explain_log(log, options(input.run()), &mut |line, step| show(&name, line, step))?);
        }
        Ok(())
    };
    if args.json {
        output::write_plain_with(&mut explain)?;
    } else {
        output::write(&mut explain)?;
    }
    if let Some(error) = refused {
        return Err(error);
    }
    // The logs that nobody asked for any more were not read.
    if logs.len() < inputs.inputs.len() {
        return Ok(exit::DONE);
    }
    let summary = report_unread_inputs(&inputs, &logs, &mut diagnostics);
    diagnostics.finish();
    if number == 0 && !summary.failed {
        return Err(no_such_step(args));
    }
    Ok(if summary.failed { exit::FAILED } else { exit::DONE })
}

/// Returns the error of steps in arguments that could not be read.
fn unread_argument(read: &LogReadSummary, steps: usize) -> Option<UserError> {
    let hint = "a step is a JSON object, such as {\"action\":\"make test\",\"outcome\":\"1 failed\"}; see docs/guide/steps.md";
    if let Some(note) = read.notes.first() {
        let place = if steps > 1 { format!("step {}: ", note.line) } else { String::new() };
        let reason = note.text.trim_end_matches("; line skipped");
        return Some(UserError::usage(format!("cannot read the step: {place}{reason}")).hint(hint));
    }
    match &read.refusal {
        Some(refusal) => Some(UserError::usage(format!("cannot read the step: {refusal}")).hint(hint)),
        None if read.skipped_lines > 0 => Some(UserError::usage("cannot read the step").hint(hint)),
        None => None,
    }
}

fn no_such_step(args: &ExplainStepArgs) -> UserError {
    let turns: Vec<String> = args.turns.iter().map(u64::to_string).collect();
    let run = args.run.as_ref().map(|run| format!(" in a run with the id {run:?}"));
    let turn = (!turns.is_empty()).then(|| format!(" with turn {}", turns.join(" or ")));
    UserError::failed(format!("there is no step{}{}", turn.unwrap_or_default(), run.unwrap_or_default()))
        .hint("loopbreak analyze lists the runs; loopbreak analyze --run ID --explain -v lists the turns of one")
}
