//! OpenHands: event logs, trajectories and the output of evaluations. See docs/formats/openhands.md.

mod arguments;
mod sdk;

use loopbreak::{
    Action, Outcome, Step, Usage,
    step::{EpochMillis, Label, StepText},
};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::input::FileOwner;
use crate::log_format::{FormatDefinition, LogReader, LogUnit};
use crate::log_record::{LogRecord, RecordSink};
use crate::message::MessageContent;
use crate::message::arguments;
use crate::message::walk_document;
use crate::message::{PendingCall, PendingCalls};
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;
use arguments::{OpenHandsArguments, exit_code};

/// Events of OpenHands.
pub(crate) struct OpenHandsFormat;

impl FormatDefinition for OpenHandsFormat {
    fn name(&self) -> &'static str {
        "openhands"
    }
    fn title(&self) -> &'static str {
        "OpenHands"
    }
    fn file_description(&self) -> &'static str {
        "events as JSON lines or a list; output.jsonl of evaluations, with the events under history"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        ["", "[].", "history.[].", "history.[].[]."].iter().any(|at| {
            let has = |key: &str| value.has(&format!("{at}{key}"));
            has("source") && (has("action") && has("args") || has("observation") && has("content"))
                || sdk::recognizes(value, at)
        })
    }
    /// A session keeps each event in its own file.
    fn file_owner(&self, value: &str, _folder: Option<&str>) -> Option<FileOwner> {
        if let Some(event) = sdk::parse(value) {
            // Events of the SDK have no numbers, but timestamps.
            let order = Some(event.timestamp.filter(|_| event.source.is_some())?.0);
            return Some(FileOwner { run: String::new(), agent: None, order });
        }
        let event: OpenHandsEvent<'_> = serde_json::from_str(value).ok()?;
        let known = event.source.is_some() && (event.action.is_some() || event.observation.is_some());
        Some(FileOwner { run: String::new(), agent: None, order: Some(event.id.filter(|_| known)?) })
    }
    fn holds_whole_run(&self, value: &JsonOutline<'_>) -> bool {
        value.is_list("") || value.is_list("history")
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(OpenHandsReader::default())
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OpenHandsEvent<'a> {
    id: Option<i64>,
    timestamp: Option<EpochMillis>,
    #[serde(borrow)]
    source: Option<StepText<'a>>,
    #[serde(borrow)]
    message: Option<StepText<'a>>,
    cause: Option<i64>,
    #[serde(borrow)]
    action: Option<StepText<'a>>,
    #[serde(borrow)]
    args: Option<&'a RawValue>,
    #[serde(borrow)]
    observation: Option<StepText<'a>>,
    #[serde(borrow)]
    content: MessageContent<'a>,
    #[serde(borrow)]
    extras: Option<&'a RawValue>,
    llm_metrics: Option<OpenHandsMetrics>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
struct OpenHandsMetrics {
    accumulated_cost: Option<f64>,
    accumulated_token_usage: Option<OpenHandsTokens>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_field_names, reason = "the names of the log")]
struct OpenHandsTokens {
    prompt_tokens: u64,
    completion_tokens: u64,
    /// Parts of the prompt.
    cache_read_tokens: u64,
    cache_write_tokens: u64,
}

/// Keys of an evaluation other than its events.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct OpenHandsEvaluation {
    instance_id: Option<String>,
    metadata: Option<EvaluationMetadata>,
    metrics: Option<OpenHandsMetrics>,
    history: Option<IgnoredAny>,
}

impl OpenHandsEvaluation {
    /// Parses an evaluation. Returns `None` for an event.
    fn parse(unit: LogUnit<'_>) -> Option<OpenHandsEvaluation> {
        let about = serde_json::from_str(unit.text).unwrap_or_else(|_| {
            // A key has an unexpected value, or the text is truncated; the events may still be readable.
            let history = unit.text.contains("\"history\"").then_some(IgnoredAny);
            OpenHandsEvaluation { history, ..OpenHandsEvaluation::default() }
        });
        about.history.is_some().then_some(about)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct EvaluationMetadata {
    llm_config: Option<EvaluationModel>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct EvaluationModel {
    model: Option<String>,
}

/// Kinds of actions and observations that are not actions of the agent.
const INNER: [&str; 7] = [
    "system",
    "recall",
    "change_agent_state",
    "null",
    "agent_state_changed",
    "condensation",
    "condensation_request",
];

#[derive(Debug, Default)]
struct OpenHandsReader {
    run: Option<String>,
    model: Option<String>,
    pending: PendingCalls,
    /// Totals so far.
    total: OpenHandsMetrics,
    usage: Option<Usage>,
}

impl LogReader for OpenHandsReader {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        if unit.text.trim_start().starts_with('[') {
            return self.list(unit, &[], sink);
        }
        let Some(about) = OpenHandsEvaluation::parse(unit) else { return self.event(unit, sink) };
        self.run = about.instance_id;
        self.model = about.metadata.and_then(|metadata| metadata.llm_config).and_then(|config| config.model);
        (self.total, self.usage) = (OpenHandsMetrics::default(), None);
        // If the events have no usage, the totals are attributed to the first step, because their distribution over
        // the steps is unknown.
        if let Some(metrics) = about.metrics.filter(|_| !unit.text.contains("\"llm_metrics\"")) {
            self.add_usage(metrics);
        }
        self.list(unit, &["history"], sink)
    }

    fn end(&mut self, sink: &mut dyn RecordSink) {
        self.flush_calls(sink);
    }
}

impl OpenHandsReader {
    /// Reads a list of events; in old evaluations they are pairs.
    fn list(
        &mut self,
        unit: LogUnit<'_>,
        lists: &[&str],
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        let mut broken = Ok(());
        let mut last_id = 0;
        let walked = walk_document(unit, lists, &mut |part| {
            if !part.listed {
                return;
            }
            let read = if part.json.get().starts_with('[') {
                let mut read = Ok(());
                let walked = walk_document(part.unit(), &[], &mut |part| {
                    read = std::mem::replace(&mut read, Ok(())).and(self.paired(
                        part.unit(),
                        &mut last_id,
                        sink,
                    ));
                });
                walked.and(read)
            } else {
                self.event(part.unit(), sink)
            };
            broken = std::mem::replace(&mut broken, Ok(())).and(read);
        });
        self.end(sink);
        walked.and(broken)
    }

    /// Reads one event of a pair: the second is the result of the first, even if their ids differ.
    fn paired(
        &mut self,
        unit: LogUnit<'_>,
        last: &mut i64,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        let mut event = parse(unit)?;
        if event.action.is_some() {
            *last += 1;
            event.id = Some(*last);
        } else {
            event.cause = Some(*last);
        }
        self.take(event, unit.line, sink);
        Ok(())
    }

    fn event(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        if let Some(event) = sdk::parse(unit.text) {
            self.read_sdk_event(event, unit.line, sink);
            return Ok(());
        }
        self.take(parse(unit)?, unit.line, sink);
        Ok(())
    }

    fn take(&mut self, event: OpenHandsEvent<'_>, line: u64, sink: &mut dyn RecordSink) {
        if let Some(metrics) = event.llm_metrics {
            self.add_usage(metrics);
        }
        if event.action.is_some() {
            self.action(event, line, sink);
        } else if event.observation.is_some() {
            self.observation(event, line, sink);
        }
    }

    fn action(&mut self, event: OpenHandsEvent<'_>, line: u64, sink: &mut dyn RecordSink) {
        let name = event.action.unwrap_or_default();
        let at = event.timestamp;
        let args = event.args.map(OpenHandsArguments::parse).unwrap_or_default();
        let is_user = event.source.as_deref() == Some("user");
        match &*name {
            _ if INNER.contains(&&*name) => {}
            "message" | "finish" => {
                let text = args
                    .content
                    .or(args.final_thought)
                    .or(args.thought)
                    .or(event.message.map(|m| m.0.into_owned()));
                let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return };
                self.end(sink);
                if is_user {
                    let run = self.run.as_deref().map(Label::from);
                    let step = Step { run, at, user: Some(text.into()), ..Step::default() };
                    sink.record(&LogRecord { line, step });
                } else {
                    self.emit(line, Step { at, say: Some(text.into()), ..Step::default() }, sink);
                }
            }
            _ if is_user => {}
            _ => {
                let mut action = Action::new(name.into_owned());
                action.args = args.rest.as_deref().and_then(arguments);
                let id = event.id.map(|id| id.to_string()).unwrap_or_default();
                let say = args.thought.filter(|thought| !thought.trim().is_empty());
                for lost in self.pending.push(PendingCall { id, line, at, batch: None, action, say }) {
                    self.emit_unanswered(lost, sink);
                }
            }
        }
    }

    fn observation(&mut self, event: OpenHandsEvent<'_>, line: u64, sink: &mut dyn RecordSink) {
        let kind = event.observation.unwrap_or_default();
        if INNER.contains(&&*kind) {
            return;
        }
        let cause = event.cause.map(|cause| cause.to_string());
        let Some(call) = cause.and_then(|cause| self.pending.take(Some(&cause))) else {
            // Errors and other observations that no call caused.
            return;
        };
        let code = event.extras.and_then(exit_code);
        let text = event.content.into_text();
        let rejected = &*kind == "user_rejected";
        let step = Step {
            at: event.timestamp.or(call.at),
            action: Some(call.action),
            outcome: Some(Outcome {
                text,
                error: (&*kind == "error" || code.is_some_and(|code| code > 0)).then_some(true),
                ..Outcome::default()
            }),
            say: call.say.map(StepText::from),
            refused: rejected,
            user: rejected.then(|| "refused the call".into()),
            ..Step::default()
        };
        self.emit(line, step, sink);
    }

    /// Adds usage. The metrics are totals, so only the difference counts.
    fn add_usage(&mut self, metrics: OpenHandsMetrics) {
        let usage = self.usage.get_or_insert_default();
        if let Some(cost) = metrics.accumulated_cost {
            let more = cost - self.total.accumulated_cost.unwrap_or(0.0);
            if more > 0.0 && more.is_finite() {
                *usage.cost_usd.get_or_insert(0.0) += more;
            }
            self.total.accumulated_cost = Some(cost);
        }
        if let Some(tokens) = metrics.accumulated_token_usage {
            let before = self.total.accumulated_token_usage.unwrap_or_default();
            let add = |so_far: &mut Option<u64>, now: u64, before: u64| {
                *so_far = Some(so_far.unwrap_or(0).saturating_add(now.saturating_sub(before)));
            };
            add(&mut usage.input_tokens, tokens.prompt_tokens, before.prompt_tokens);
            add(&mut usage.output_tokens, tokens.completion_tokens, before.completion_tokens);
            for (so_far, now, before) in [
                (&mut usage.cache_read_tokens, tokens.cache_read_tokens, before.cache_read_tokens),
                (&mut usage.cache_write_tokens, tokens.cache_write_tokens, before.cache_write_tokens),
            ] {
                if now > before {
                    add(so_far, now, before);
                }
            }
            self.total.accumulated_token_usage = Some(tokens);
        }
        if usage.cost_usd.is_none() && usage.input_tokens.is_none() {
            self.usage = None;
        }
    }

    /// Emits the calls that have no results.
    fn flush_calls(&mut self, sink: &mut dyn RecordSink) {
        while let Some(call) = self.pending.pop() {
            self.emit_unanswered(call, sink);
        }
    }

    fn emit_unanswered(&mut self, call: PendingCall, sink: &mut dyn RecordSink) {
        self.emit(call.line, call.into_step(), sink);
    }

    fn emit(&mut self, line: u64, step: Step<'_>, sink: &mut dyn RecordSink) {
        let step = Step {
            run: self.run.as_deref().map(Label::from),
            model: self.model.as_deref().map(StepText::from),
            usage: self.usage.take(),
            ..step
        };
        sink.record(&LogRecord { line, step });
    }
}

fn parse(unit: LogUnit<'_>) -> Result<OpenHandsEvent<'_>, SkipReason> {
    serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))
}
