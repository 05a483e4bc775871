//! Turns spans into steps.

use std::collections::HashMap;

use loopbreak::{
    Action, Outcome, Step, Usage,
    step::{Label, StepText},
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::span::OtelSpan;
use super::span_tree::{SpanNode, SpanTree, SpanVisit};
use crate::log_record::{LogRecord, RecordSink};
use crate::message::arguments;

/// Maximum number of remembered conversations.
const NAMES: usize = 4096;

/// The conversation of each trace.
pub(super) type ConversationNames = HashMap<String, String>;

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

/// Emits the steps of a tree of spans.
pub(super) fn emit(tree: &SpanTree<'_>, names: &mut ConversationNames, sink: &mut dyn RecordSink) {
    for SpanNode { span, .. } in tree.nodes() {
        let conversation = span.attributes.get(&["gen_ai.conversation.id", "session.id"]);
        if let (Some(trace), Some(name)) = (&span.trace, conversation)
            && names.len() < NAMES
        {
            names.entry(trace.to_string()).or_insert_with(|| name.to_string());
        }
    }
    let parents = tree.parents();
    let has_tools = tree.nodes().iter().any(|node| role(&node.span) == SpanRole::Tool);
    let mut walk = SpanWalk { nodes: tree.nodes(), parents, names, has_tools, ..SpanWalk::new(sink) };
    for visit in tree.walk(&walk.parents) {
        match visit {
            SpanVisit::Enter(index) => walk.enter(index),
            SpanVisit::Leave(index) => walk.leave(index),
        }
    }
}

struct SpanWalk<'w, 'a> {
    nodes: &'w [SpanNode<'a>],
    parents: Vec<Option<usize>>,
    names: &'w ConversationNames,
    /// True if tools have their own spans. Otherwise the calls in the output of the models are used.
    has_tools: bool,
    /// Enclosing agents, the outermost first.
    agents: Vec<StepText<'a>>,
    /// Number of enclosing tools: model calls inside a tool belong to the tool.
    tools: usize,
    /// Model outputs that contain code, by the chain that runs the code.
    code: HashMap<usize, StepText<'a>>,
    usage: Option<Usage>,
    model: Option<StepText<'a>>,
    sink: &'w mut dyn RecordSink,
}

static NO_NAMES: std::sync::LazyLock<ConversationNames> = std::sync::LazyLock::new(ConversationNames::new);

impl<'w, 'a> SpanWalk<'w, 'a> {
    fn new(sink: &'w mut dyn RecordSink) -> Self {
        SpanWalk {
            nodes: &[],
            parents: Vec::new(),
            names: &NO_NAMES,
            has_tools: false,
            agents: Vec::new(),
            tools: 0,
            code: HashMap::new(),
            usage: None,
            model: None,
            sink,
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
            SpanRole::Model => self.read_model(index, span),
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
                    self.read_tool(index, span);
                }
            }
            SpanRole::Chain => {
                if let Some(said) = self.code.remove(&index) {
                    self.emit_code_run(index, span, said);
                }
            }
            SpanRole::Model | SpanRole::Other => {}
        }
    }

    /// Reads a model span.
    fn read_model(&mut self, index: usize, span: &OtelSpan<'a>) {
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
            self.usage = Some(self.usage.unwrap_or_default().plus(usage));
        }
        let model = span
            .attributes
            .get(&["llm.model_name", "gen_ai.response.model", "gen_ai.request.model"])
            .cloned();
        self.model = model.or(self.model.take());
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
        if !self.has_tools && !calls.is_empty() {
            for (name, args) in calls {
                let mut action = Action::new(name);
                action.args = args.and_then(|args| arguments(&args));
                self.emit(index, Step { action: Some(action), say: say.take(), ..Step::default() });
            }
        } else if say.is_some() {
            self.emit(index, Step { say, ..Step::default() });
        }
    }

    /// Reads a tool span.
    fn read_tool(&mut self, index: usize, span: &OtelSpan<'a>) {
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
        let outcome = outcome(span, output);
        self.emit(index, Step { action: Some(action), outcome, ..Step::default() });
    }

    /// Emits the execution of code that a model wrote.
    fn emit_code_run(&mut self, index: usize, span: &OtelSpan<'a>, said: StepText<'a>) {
        let args = code(&said).map(serde_json::Value::from);
        let action = args.map(|args| Action::new("python").with_args(&args));
        let outcome = outcome(span, span.attributes.get(&["output.value"]).cloned());
        self.emit(index, Step { action, outcome, say: Some(said), ..Step::default() });
    }

    fn emit(&mut self, index: usize, step: Step<'_>) {
        let SpanNode { span, line, .. } = &self.nodes[index];
        let trace = span.trace.as_deref();
        let run = trace.map(|trace| self.names.get(trace).map_or(trace, String::as_str));
        // The outermost agent is the run itself.
        let agent = if self.agents.len() > 1 { self.agents.last().cloned() } else { None };
        let step = Step {
            run: run.map(Label::from),
            at: span.start,
            agent,
            model: self.model.clone(),
            usage: self.usage.take(),
            ..step
        };
        self.sink.record(&LogRecord { line: *line, step });
    }
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
