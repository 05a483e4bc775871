//! Lists of chat messages, as the services take them: OpenAI's, Anthropic's, and what benchmarks make of them. See
//! docs/formats/chat.md.

mod message;
mod talk;

use serde::Deserialize;

use crate::document::walk;
use crate::format::{Kind, Reader, Sink, Unit};
use crate::glimpse::Glimpse;
use crate::reason::Reason;
use talk::Talk;

/// Chat messages.
pub(crate) struct Chat;

/// Where the messages of a conversation stand.
const LISTS: [&str; 5] = ["messages", "history", "traj", "conversation", "conversations"];

impl Kind for Chat {
    fn name(&self) -> &'static str {
        "chat"
    }
    fn title(&self) -> &'static str {
        "chat messages (OpenAI, Anthropic, tau-bench, Magentic)"
    }
    fn files(&self) -> &'static str {
        "lists of messages with a role and a content, alone or under messages, history or traj; JSON or JSON lines"
    }
    fn recognises(&self, value: &Glimpse<'_>) -> bool {
        let message = |at: &str| {
            let has = |key: &str| value.has(&format!("{at}{key}"));
            has("role") && (has("content") || has("tool_calls"))
        };
        message("")
            || message("[].")
            || LISTS.iter().any(|list| message(&format!("{list}.[].")) || message(&format!("[].{list}.[].")))
    }
    fn holds_run(&self, value: &Glimpse<'_>) -> bool {
        value.is_list("") || LISTS.iter().any(|list| value.is_list(list))
    }
    fn reader(&self, _beside: &[String]) -> Box<dyn Reader> {
        Box::new(Conversations::default())
    }
}

/// Reads conversations, one after the other.
#[derive(Debug, Default)]
struct Conversations {
    /// The one whose messages stand there one by one.
    loose: Talk,
    count: u64,
}

/// What tells conversations apart.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct About<'a> {
    #[serde(borrow)]
    id: Option<Name<'a>>,
    #[serde(borrow, alias = "sessionId")]
    session_id: Option<Name<'a>>,
    #[serde(borrow)]
    conversation_id: Option<Name<'a>>,
    #[serde(borrow, alias = "question_ID")]
    instance_id: Option<Name<'a>>,
    #[serde(borrow)]
    task_id: Option<Name<'a>>,
    #[serde(borrow)]
    trial: Option<Name<'a>>,
    #[serde(borrow)]
    model: Option<Name<'a>>,
}

/// A name, or anything else, which is none.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Name<'a> {
    Label(#[serde(borrow)] loopbreak::Label<'a>),
    Other(serde::de::IgnoredAny),
}

impl Name<'_> {
    fn text(self) -> Option<String> {
        match self {
            Name::Label(label) => Some(label.as_text().into_owned()),
            Name::Other(_) => None,
        }
    }
}

impl About<'_> {
    fn run(self) -> Option<String> {
        let named = self.id.or(self.session_id).or(self.conversation_id).or(self.instance_id);
        if let Some(name) = named.and_then(Name::text) {
            return Some(name);
        }
        let task = self.task_id?.text()?;
        Some(match self.trial.and_then(Name::text) {
            Some(trial) => format!("task-{task}/trial-{trial}"),
            None => format!("task-{task}"),
        })
    }
}

impl Conversations {
    /// A conversation of its own, in an object.
    fn conversation(&mut self, unit: Unit<'_>, alone: bool, sink: &mut dyn Sink) -> Result<(), Reason> {
        self.count += 1;
        let mut about: About<'_> = serde_json::from_str(unit.text).unwrap_or_default();
        let model = about.model.take().and_then(Name::text);
        let run = about.run().or_else(|| (!alone).then(|| format!("conversation-{}", self.count)));
        let mut talk = Talk::new(run, model);
        let mut broken = Ok(());
        let walked = walk(unit, &LISTS, &mut |part| {
            if part.listed {
                let said = talk.message(part.unit(), &*part.key == "history", sink);
                broken = std::mem::replace(&mut broken, Ok(())).and(said);
            }
        });
        talk.end(sink);
        walked.and(broken)
    }
}

impl Reader for Conversations {
    fn unit(&mut self, unit: Unit<'_>, sink: &mut dyn Sink) -> Result<(), Reason> {
        if !unit.text.trim_start().starts_with('[') {
            return if message::is_message(unit.text) {
                self.loose.message(unit, false, sink)
            } else {
                self.conversation(unit, unit.text.contains('\n'), sink)
            };
        }
        // A list of messages, or of conversations.
        let mut talk = Talk::default();
        let mut broken = Ok(());
        let walked = walk(unit, &[], &mut |part| {
            let said = if message::is_message(part.json.get()) {
                talk.message(part.unit(), false, sink)
            } else {
                self.conversation(part.unit(), false, sink)
            };
            broken = std::mem::replace(&mut broken, Ok(())).and(said);
        });
        talk.end(sink);
        walked.and(broken)
    }

    fn end(&mut self, sink: &mut dyn Sink) {
        self.loose.end(sink);
    }
}
