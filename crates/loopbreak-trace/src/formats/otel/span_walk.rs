//! Turns spans into steps.

use std::collections::HashMap;

use loopbreak::{
    Action, Outcome, Step, Usage,
    step::{Label, StepText},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::run_progress::{HeldStep, RunProgress, TelemetryRuns, can_hold};
use super::span::OtelSpan;
use super::span_tree::{SpanNode, SpanTree, SpanVisit};
use crate::message::arguments;

/// Attributes that only model spans have, for spans without an explicit kind.
const ANSWERED: [&str; 5] = [
    "gen_ai.completion.0.content",
    "gen_ai.completion.0.tool_calls.0.name",
    "gen_ai.output.messages",
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
];

/// Tokens of the input that were read from a cache, and written to it.
const CACHE_READ: [&str; 2] =
    ["llm.token_count.prompt_details.cache_read", "gen_ai.usage.cache_read.input_tokens"];
const CACHE_WRITE: [&str; 2] =
    ["llm.token_count.prompt_details.cache_write", "gen_ai.usage.cache_creation.input_tokens"];

/// The role of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SpanRole {
    Agent,
    Model,
    Tool,
    Chain,
    Other,
}

fn role(span: &OtelSpan<'_>) -> SpanRole {
    // Its events say more.
    if span.name.as_ref().is_some_and(|name| name.starts_with("claude_code.")) {
        return SpanRole::Other;
    }
    let of = |names: &[&str]| span.attributes.get(names).map(|kind| kind.to_ascii_lowercase());
    match of(&["openinference.span.kind", "traceloop.span.kind"]).as_deref() {
        Some("llm") => return SpanRole::Model,
        Some("tool" | "retriever") => return SpanRole::Tool,
        Some("agent") => return SpanRole::Agent,
        Some("chain") => return SpanRole::Chain,
        _ => {}
    }
    match of(&["gen_ai.operation.name"]).as_deref() {
        Some("chat" | "text_completion" | "generate_content") => SpanRole::Model,
        Some("execute_tool") => SpanRole::Tool,
        Some("invoke_agent") => SpanRole::Agent,
        None if span.attributes.get(&["gen_ai.tool.name"]).is_some() => SpanRole::Tool,
        None if span.attributes.get(&ANSWERED).is_some() => SpanRole::Model,
        _ => SpanRole::Other,
    }
}

/// Receives the steps of telemetry.
pub(super) trait TelemetrySink {
    /// Called for each step. `line` is the line of the log. `key` is equal for the same step of telemetry that was sent twice;
    /// `None` if the telemetry has no ids.
    fn telemetry_step(&mut self, line: u64, key: Option<String>, step: Step<'_>);
    /// Called for each call whose arguments and result were not sent.
    fn hidden_call(&mut self) {}
    /// Returns whether keys are needed.
    fn wants_keys(&self) -> bool {
        true
    }
}

/// Emits the steps of a tree of spans.
pub(super) fn emit(tree: &SpanTree<'_>, runs: &mut TelemetryRuns, sink: &mut dyn TelemetrySink) {
    for SpanNode { span, .. } in tree.nodes() {
        if let (Some(trace), Some(name)) = (&span.trace, conversation(span)) {
            runs.name_trace(trace, name);
        }
    }
    let parents = tree.parents();
    let mut walk = SpanWalk {
        nodes: tree.nodes(),
        parents,
        runs,
        agents: Vec::new(),
        tools: 0,
        code: HashMap::new(),
        sink,
    };
    for index in 0..tree.nodes().len() {
        if role(&tree.nodes()[index].span) == SpanRole::Tool {
            walk.note_tool(index);
        }
    }
    for visit in tree.walk(&walk.parents) {
        match visit {
            SpanVisit::Enter(index) => walk.enter(index),
            SpanVisit::Leave(index) => walk.leave(index),
        }
    }
}

/// Returns the conversation that a span names.
fn conversation<'s>(span: &'s OtelSpan<'_>) -> Option<&'s str> {
    span.attributes.get(&["gen_ai.conversation.id", "session.id"]).map(|name| &**name)
}

struct SpanWalk<'w, 'a> {
    nodes: &'w [SpanNode<'a>],
    parents: Vec<Option<usize>>,
    runs: &'w mut TelemetryRuns,
    /// Enclosing agents, the outermost first.
    agents: Vec<StepText<'a>>,
    /// Number of enclosing tools: model calls inside a tool belong to the tool.
    tools: usize,
    /// Model outputs that contain code, by the chain that runs the code.
    code: HashMap<usize, StepText<'a>>,
    sink: &'w mut dyn TelemetrySink,
}

impl<'a> SpanWalk<'_, 'a> {
    /// Returns the run of a span: the conversation that it names, that of its trace, or the trace. Empty if it has none.
    fn run_of(&self, index: usize) -> String {
        let span = &self.nodes[index].span;
        let of_trace = || span.trace.as_deref().map(|trace| self.runs.run_of_trace(trace));
        conversation(span).or_else(of_trace).unwrap_or_default().to_owned()
    }

    /// Notes that the tools of a run have spans. Then the calls in the output of its models are not used.
    fn note_tool(&mut self, index: usize) {
        let run = self.run_of(index);
        if self.runs.get(&run).is_some_and(|progress| progress.has_tools) {
            return;
        }
        let held = self.runs.change(&run, |progress| {
            progress.has_tools = true;
            let held = std::mem::take(&mut progress.held);
            if held.first().is_some_and(|first| first.step.say.is_none()) {
                // Nothing is left of the answer but its usage.
                let usage = held.iter().filter_map(|held| held.step.usage);
                progress.usage = usage.chain(progress.usage).reduce(Usage::plus);
                return None;
            }
            held.into_iter().next()
        });
        if let Some(HeldStep { line, key, step }) = held {
            self.sink.telemetry_step(line, key, Step { action: None, ..step });
        }
    }

    /// Emits the calls of the answer before, whose tools have no spans.
    fn emit_held(&mut self, run: &str) {
        if self.runs.get(run).is_none_or(|progress| progress.held.is_empty()) {
            return;
        }
        for held in self.runs.change(run, |progress| std::mem::take(&mut progress.held)) {
            self.sink.telemetry_step(held.line, held.key, held.step);
        }
    }

    fn enter(&mut self, index: usize) {
        let span = &self.nodes[index].span;
        match role(span) {
            SpanRole::Agent => {
                let name = span.attributes.get(&["gen_ai.agent.name", "agent.name", "traceloop.entity.name"]);
                self.agents.push(name.or(span.name.as_ref()).cloned().unwrap_or_default());
            }
            SpanRole::Tool => self.tools += 1,
            SpanRole::Model => self.read_model(index),
            SpanRole::Chain | SpanRole::Other => {}
        }
    }

    fn leave(&mut self, index: usize) {
        let span = &self.nodes[index].span;
        match role(span) {
            SpanRole::Agent => _ = self.agents.pop(),
            SpanRole::Tool => {
                self.tools -= 1;
                let by_code = self.parents[index].is_some_and(|parent| self.code.contains_key(&parent));
                if self.tools == 0 && !by_code {
                    self.read_tool(index);
                }
            }
            SpanRole::Chain => {
                if let Some(said) = self.code.remove(&index) {
                    self.emit_code_run(index, said);
                }
            }
            SpanRole::Model | SpanRole::Other => {}
        }
    }

    /// Reads a model span.
    fn read_model(&mut self, index: usize) {
        let span = &self.nodes[index].span;
        let run = self.run_of(index);
        self.emit_held(&run);
        let input = span.attributes.count(&[
            "llm.token_count.prompt",
            "gen_ai.usage.input_tokens",
            "gen_ai.usage.prompt_tokens",
        ]);
        let output = span.attributes.count(&[
            "llm.token_count.completion",
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.completion_tokens",
        ]);
        if input.is_some() || output.is_some() {
            let usage = Usage {
                input_tokens: input,
                output_tokens: output,
                cache_read_tokens: span.attributes.count(&CACHE_READ),
                cache_write_tokens: span.attributes.count(&CACHE_WRITE),
                ..Usage::default()
            };
            self.runs.change(&run, |progress| {
                progress.usage = Some(progress.usage.unwrap_or_default().plus(usage));
            });
        }
        let model = span.attributes.get(&["llm.model_name", "gen_ai.response.model", "gen_ai.request.model"]);
        if let Some(model) = model {
            self.runs.change(&run, |progress| progress.model = Some(model.to_string()));
        }
        if self.tools > 0 {
            return;
        }
        let (said, calls) = model_output(span);
        let chain = self.parents[index].filter(|parent| role(&self.nodes[*parent].span) == SpanRole::Chain);
        if let (Some(said), Some(chain)) = (&said, chain)
            && code(said).is_some()
        {
            self.code.insert(chain, said.clone());
            return;
        }
        let mut say = said.filter(|said| !said.trim().is_empty());
        let has_tools = self.runs.get(&run).is_some_and(|progress| progress.has_tools);
        if !has_tools && !calls.is_empty() {
            let steps: Vec<HeldStep> = (0..)
                .zip(calls)
                .map(|(part, (name, args))| {
                    let mut action = Action::new(name);
                    action.args = args.and_then(|args| arguments(&args));
                    let step = Step { action: Some(action), say: say.take(), ..Step::default() };
                    self.complete(index, part, step)
                })
                .collect();
            if can_hold(&steps) {
                self.runs.change(&run, |progress| progress.held = steps);
            } else {
                for held in steps {
                    self.sink.telemetry_step(held.line, held.key, held.step);
                }
            }
        } else if say.is_some() {
            self.emit(index, Step { say, ..Step::default() });
        }
    }

    /// Reads a tool span.
    fn read_tool(&mut self, index: usize) {
        let span = &self.nodes[index].span;
        let name = span.attributes.get(&["tool.name", "gen_ai.tool.name", "traceloop.entity.name"]);
        let mut action = Action::new(name.or(span.name.as_ref()).cloned().unwrap_or_default());
        let input =
            span.attributes.get(&["gen_ai.tool.call.arguments", "input.value", "traceloop.entity.input"]);
        action.args = input.and_then(|input| {
            let quoted = serde_json::value::to_raw_value(&**input).ok()?;
            arguments(&quoted)
        });
        let output = span
            .attributes
            .get(&["gen_ai.tool.call.result", "output.value", "traceloop.entity.output"])
            .cloned();
        if action.args.is_none() && output.is_none() {
            // Calls that look equal because their content was not sent may be different calls.
            self.sink.hidden_call();
            self.emit(index, hidden_call(span.has_failed()));
            return;
        }
        let outcome = outcome(span, output);
        self.emit(index, Step { action: Some(action), outcome, ..Step::default() });
    }

    /// Emits the execution of code that a model wrote.
    fn emit_code_run(&mut self, index: usize, said: StepText<'a>) {
        let span = &self.nodes[index].span;
        let args = code(&said).map(serde_json::Value::from);
        let action = args.map(|args| Action::new("python").with_args(&args));
        let outcome = outcome(span, span.attributes.get(&["output.value"]).cloned());
        self.emit(index, Step { action, outcome, say: Some(said), ..Step::default() });
    }

    fn emit(&mut self, index: usize, step: Step<'_>) {
        let HeldStep { line, key, step } = self.complete(index, 0, step);
        self.sink.telemetry_step(line, key, step);
    }

    /// Completes a step with what is known of its span and its run.
    fn complete(&mut self, index: usize, part: usize, step: Step<'_>) -> HeldStep {
        let run = self.run_of(index);
        let SpanNode { span, line, .. } = &self.nodes[index];
        let (usage, model) = match self.runs.get(&run) {
            Some(RunProgress { usage: None, model, .. }) => (None, model.clone()),
            Some(_) => self.runs.change(&run, |progress| (progress.usage.take(), progress.model.clone())),
            None => (None, None),
        };
        // The outermost agent is the run itself.
        let agent = if self.agents.len() > 1 { self.agents.last().cloned() } else { None };
        let key = match (&span.trace, &span.id) {
            (Some(trace), Some(id)) if self.sink.wants_keys() => Some(match part {
                0 => format!("{trace}:{id}"),
                _ => format!("{trace}:{id}:{part}"),
            }),
            _ => None,
        };
        let step = Step {
            run: (!run.is_empty()).then(|| Label::Text(run.into())),
            at: span.start,
            agent,
            model: model.map(StepText::from),
            usage,
            ..step
        };
        HeldStep { line: *line, key, step: step.into_owned() }
    }
}

/// Returns the step for a call of which only the name and the success were sent.
pub(super) fn hidden_call(has_failed: bool) -> Step<'static> {
    Step { outcome: Some(Outcome { error: Some(has_failed), ..Outcome::default() }), ..Step::default() }
}

fn outcome<'a>(span: &OtelSpan<'a>, output: Option<StepText<'a>>) -> Option<Outcome<'a>> {
    let failed = span.has_failed();
    let text = if failed { span.error_message().cloned().or(output) } else { output };
    (failed || text.is_some()).then_some(Outcome {
        text,
        error: failed.then_some(true),
        ..Outcome::default()
    })
}

/// Returns the first code block of a text.
fn code(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("```")?;
    let (_, rest) = rest.split_once('\n')?;
    Some(rest.split("```").next().unwrap_or(rest).trim_end())
}

type ModelOutput<'a> = (Option<StepText<'a>>, Vec<(StepText<'a>, Option<Box<RawValue>>)>);

/// Returns the text and the calls of a model span.
fn model_output<'a>(span: &OtelSpan<'a>) -> ModelOutput<'a> {
    if let Some(messages) = span.attributes.get(&["gen_ai.output.messages"]) {
        return parse_messages(messages);
    }
    let said = span.attributes.get(&["llm.output_messages.0.message.content", "gen_ai.completion.0.content"]);
    let mut calls = Vec::new();
    for number in 0..32 {
        let name = [
            format!("llm.output_messages.0.message.tool_calls.{number}.tool_call.function.name"),
            format!("gen_ai.completion.0.tool_calls.{number}.name"),
        ];
        let Some(name) = span.attributes.get(&[&name[0], &name[1]]).cloned() else { break };
        let args = [
            format!("llm.output_messages.0.message.tool_calls.{number}.tool_call.function.arguments"),
            format!("gen_ai.completion.0.tool_calls.{number}.arguments"),
        ];
        let args = span.attributes.get(&[&args[0], &args[1]]);
        calls.push((name, args.and_then(|args| serde_json::value::to_raw_value(&**args).ok())));
    }
    (said.cloned(), calls)
}

/// Parses GenAI messages: JSON in a text.
fn parse_messages<'a>(messages: &str) -> ModelOutput<'a> {
    #[derive(Deserialize)]
    struct GenAiMessage {
        #[serde(default)]
        parts: Vec<GenAiPart>,
    }
    #[derive(Deserialize)]
    struct GenAiPart {
        #[serde(default)]
        content: Option<String>,
        #[serde(default)]
        name: Option<String>,
        #[serde(default)]
        arguments: Option<Box<RawValue>>,
    }
    let messages: Vec<GenAiMessage> = serde_json::from_str(messages).unwrap_or_default();
    let (mut said, mut calls) = (Vec::new(), Vec::new());
    for part in messages.into_iter().flat_map(|message| message.parts) {
        said.extend(part.content);
        calls.extend(part.name.map(|name| (name.into(), part.arguments)));
    }
    ((!said.is_empty()).then(|| said.join("\n").into()), calls)
}
