//! AdventureAI: games of interactive fiction, one document each. See docs/formats/adventureai.md.

use loopbreak::{
    Action, Outcome, Step, Usage,
    step::{Label, StepText},
};
use serde::Deserialize;

use crate::log_format::{FormatDefinition, LogReader, LogUnit};
use crate::log_record::{LogRecord, RecordSink};
use crate::message::walk_document;
use crate::skip_reason::SkipReason;
use crate::sniff::JsonOutline;

/// Games of AdventureAI.
pub(crate) struct AdventureAiFormat;

impl FormatDefinition for AdventureAiFormat {
    fn name(&self) -> &'static str {
        "adventureai"
    }
    fn title(&self) -> &'static str {
        "AdventureAI"
    }
    fn file_description(&self) -> &'static str {
        "one JSON document per game: the commands, the replies, the score"
    }
    fn recognizes(&self, value: &JsonOutline<'_>) -> bool {
        value.has_all(&["promptPattern", "messages.[].role", "messages.[].score"])
    }
    fn holds_whole_run(&self, _value: &JsonOutline<'_>) -> bool {
        true
    }
    fn new_reader(&self, _agents: &[String]) -> Box<dyn LogReader> {
        Box::new(AdventureAiFormat)
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AdventureAiGame {
    model: Option<String>,
    date: Option<String>,
    name: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct AdventureAiMessage<'a> {
    #[serde(borrow)]
    role: Option<StepText<'a>>,
    #[serde(borrow)]
    content: Option<StepText<'a>>,
    #[serde(rename = "promptTokens")]
    prompt_tokens: Option<u64>,
    #[serde(rename = "completionTokens")]
    completion_tokens: Option<u64>,
    #[serde(borrow)]
    meta: Option<StepText<'a>>,
    score: Option<f64>,
}

impl LogReader for AdventureAiFormat {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        let mut about = AdventureAiGame::default();
        let mut waiting: Option<(AdventureAiMessage<'_>, u64)> = None;
        let mut broken = Ok(());
        let walked = walk_document(unit, &["messages"], &mut |part| {
            let text = || serde_json::from_str(part.json.get()).ok();
            match (part.listed, &*part.key) {
                (false, "model") => about.model = text(),
                (false, "date") => about.date = text(),
                (false, "name") => about.name = text(),
                (true, _) => match serde_json::from_str::<AdventureAiMessage<'_>>(part.json.get()) {
                    Ok(message) if message.role.as_deref() == Some("assistant") => {
                        if let Some((command, line)) = waiting.replace((message, part.line)) {
                            emit(&about, command, None, line, sink);
                        }
                    }
                    // The text before the first command is not a step.
                    Ok(reply) if reply.role.as_deref() == Some("user") => {
                        if let Some((command, line)) = waiting.take() {
                            emit(&about, command, Some(reply), line, sink);
                        }
                    }
                    Ok(_) => {}
                    Err(error) => broken = Err(SkipReason::malformed(part.json.get(), &error)),
                },
                _ => {}
            }
        });
        if let Some((command, line)) = waiting {
            emit(&about, command, None, line, sink);
        }
        walked.and(broken)
    }
}

/// Emits a command with the reply of the game.
fn emit(
    about: &AdventureAiGame,
    command: AdventureAiMessage<'_>,
    reply: Option<AdventureAiMessage<'_>>,
    line: u64,
    sink: &mut dyn RecordSink,
) {
    let run = match (&about.name, &about.date) {
        (Some(name), Some(date)) => Some(Label::from(format!("{name}_{date}"))),
        _ => None,
    };
    let words = command.content.unwrap_or_default();
    let tokens = |count: Option<u64>| count.filter(|count| *count > 0);
    let usage = Usage {
        input_tokens: tokens(command.prompt_tokens),
        output_tokens: tokens(command.completion_tokens),
        ..Usage::default()
    };
    let (score, text) = reply.map_or((None, None), |reply| (reply.score, reply.content));
    let step = Step {
        run,
        model: about.model.as_deref().map(StepText::from),
        action: Some(Action::new(words.trim().to_owned())),
        outcome: text.map(Outcome::new),
        say: command.meta.filter(|meta| !meta.trim().is_empty()),
        // A negative score means that there is none.
        score: score.filter(|score| *score >= 0.0),
        usage: (usage.input_tokens.is_some() || usage.output_tokens.is_some()).then_some(usage),
        ..Step::default()
    };
    sink.record(&LogRecord { line, step });
}
