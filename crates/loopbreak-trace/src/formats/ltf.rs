//! Loop Trace Format (LTF): one event per phase of an iteration. See docs/formats/ltf.md.

use loopbreak::{
    Action, Outcome, Step, Usage,
    step::{EpochMillis, Label, StepText},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::log_format::{FormatDefinition, LogReader, LogUnit};
use crate::log_record::{LogRecord, RecordSink, UnreadItem};
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;

/// Traces in the Loop Trace Format.
pub(crate) struct LtfFormat;

impl FormatDefinition for LtfFormat {
    fn name(&self) -> &'static str {
        "ltf"
    }
    fn title(&self) -> &'static str {
        "Loop Trace Format"
    }
    fn file_description(&self) -> &'static str {
        "*.ltf.jsonl: JSON lines with ltf_version, loop_id and phase"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        value.has_all(&["ltf_version", "loop_id"])
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(LtfTrace)
    }
}

/// Reads a trace. Its lines are independent of each other.
#[derive(Debug)]
struct LtfTrace;

/// An event, with the keys of all phases.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LtfEvent<'a> {
    #[serde(borrow, rename = "loop_id")]
    run: Option<Label<'a>>,
    #[serde(borrow, rename = "type")]
    kind: Option<StepText<'a>>,
    #[serde(borrow)]
    phase: Option<StepText<'a>>,
    timestamp: Option<EpochMillis>,
    #[serde(borrow)]
    agent: Option<LtfAgent<'a>>,
    #[serde(borrow)]
    action: Option<LtfAction<'a>>,
    #[serde(borrow)]
    result: Option<LtfResult<'a>>,
    #[serde(borrow)]
    verification: Option<LtfVerification<'a>>,
    tokens: Option<LtfTokens>,
    cost_usd: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LtfAgent<'a> {
    #[serde(borrow)]
    role: Option<StepText<'a>>,
    #[serde(borrow)]
    model: Option<StepText<'a>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LtfAction<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<StepText<'a>>,
    /// Name of the tool, where it is known.
    #[serde(borrow, alias = "name")]
    tool: Option<StepText<'a>>,
    #[serde(borrow)]
    target: Option<StepText<'a>>,
    #[serde(borrow)]
    detail: Option<StepText<'a>>,
    #[serde(borrow, alias = "args")]
    input: Option<&'a RawValue>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LtfResult<'a> {
    #[serde(borrow)]
    status: Option<StepText<'a>>,
    #[serde(borrow)]
    detail: Option<StepText<'a>>,
    #[serde(borrow)]
    error: Option<StepText<'a>>,
    exit_code: Option<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LtfVerification<'a> {
    #[serde(borrow, alias = "method")]
    command: Option<StepText<'a>>,
    passed: Option<bool>,
    #[serde(borrow, alias = "output")]
    detail: Option<StepText<'a>>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct LtfTokens {
    input: Option<u64>,
    output: Option<u64>,
    cached: Option<u64>,
    cache_write: Option<u64>,
}

impl LogReader for LtfTrace {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let mut event: LtfEvent<'_> =
            serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))?;
        let phase = event.phase.take();
        let step = match (event.kind.as_deref(), phase.as_deref()) {
            // Other tools that guard the loop write these.
            _ if event.is_guard_event() => return Ok(()),
            (Some("loop_summary"), _) | (_, Some("terminate")) => return Ok(()),
            (_, Some("act")) => event.action_step("act"),
            (_, Some("verify")) => event.action_step("verify"),
            (_, Some("error")) => event.error_step(),
            (_, Some("plan" | "decide")) => event.thought_step(),
            (kind, phase) => {
                sink.unread_item(&UnreadItem::new(unit.line, phase.or(kind).unwrap_or_default()));
                return Ok(());
            }
        };
        let step = Step { run: event.run.take(), at: event.timestamp, usage: event.usage(), ..step };
        let agent = event.agent.take().unwrap_or_default();
        let step = Step { agent: agent.role, model: agent.model, ..step };
        sink.record(&LogRecord { line: unit.line, step });
        Ok(())
    }
}

impl<'a> LtfEvent<'a> {
    fn is_guard_event(&self) -> bool {
        self.action.as_ref().is_some_and(|action| action.kind.as_deref() == Some("circuit_breaker"))
    }

    /// Returns the step of an action or a check.
    fn action_step(&mut self, phase: &'static str) -> Step<'a> {
        let action = self.action.take().unwrap_or_default();
        let check = self.verification.take().unwrap_or_default();
        let mut step = Step { action: Some(action.into_action(phase, check.command)), ..Step::default() };
        let result = self.result.take().unwrap_or_default();
        let error = check.passed.map(|passed| !passed).or_else(|| result.is_failure());
        let text = result.error.or(result.detail).or(check.detail).or(result.status);
        if text.is_some() || error.is_some() || result.exit_code.is_some() {
            step.outcome = Some(Outcome { text, error, exit: result.exit_code, ..Outcome::default() });
        }
        step
    }

    /// Returns the step of a failure.
    fn error_step(&mut self) -> Step<'a> {
        let mut step = self.action_step("error");
        let outcome = step.outcome.take().unwrap_or_default();
        step.outcome = Some(Outcome { error: Some(true), ..outcome });
        step
    }

    /// Returns the step of a plan or a decision.
    fn thought_step(&mut self) -> Step<'a> {
        let thought = self.action.take().and_then(|action| action.detail);
        let decision = self.result.take().and_then(|result| result.detail);
        Step { say: thought.or(decision), ..Step::default() }
    }

    fn usage(&self) -> Option<Usage> {
        let tokens = self.tokens.unwrap_or_default();
        let cost_usd = self.cost_usd.filter(|cost| cost.is_finite() && *cost > 0.0);
        let read = [tokens.cached, tokens.cache_write].into_iter().flatten();
        let usage = Usage {
            input_tokens: tokens.input.map(|input| read.fold(input, u64::saturating_add)),
            output_tokens: tokens.output,
            cache_read_tokens: tokens.cached,
            cache_write_tokens: tokens.cache_write,
            cost_usd,
            ..Usage::default()
        };
        (self.tokens.is_some() || cost_usd.is_some()).then_some(usage)
    }
}

impl<'a> LtfAction<'a> {
    fn into_action(self, phase: &'static str, command: Option<StepText<'a>>) -> Action<'a> {
        let name = self.tool.or(self.kind).unwrap_or_else(|| phase.into());
        let mut action = Action::new(name);
        if let Some(input) = self.input {
            action.args = crate::message::arguments(input);
        } else if let Some(detail) = self.detail.or(command) {
            let runs = ["command", "bash", "shell"].iter().any(|word| action.name.eq_ignore_ascii_case(word));
            let key = if runs { "command" } else { "detail" };
            action = action.with_args(&serde_json::json!({ key: &*detail }));
        }
        action.target = self.target;
        action
    }
}

impl LtfResult<'_> {
    /// Returns whether the result is a failure. `None` if it does not say.
    fn is_failure(&self) -> Option<bool> {
        if let Some(code) = self.exit_code {
            return Some(code != 0);
        }
        match self.status.as_deref()? {
            "success" | "ok" | "pass" | "passed" | "completed" => Some(false),
            "failure" | "fail" | "failed" | "error" | "timeout" => Some(true),
            _ => self.error.is_some().then_some(true),
        }
    }
}
