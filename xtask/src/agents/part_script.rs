//! The script of a model that plays a part.

use std::thread;
use std::time::Duration;

use loopbreak_hooks::guard_text::{GuardText, guard_texts_in};
use loopbreak_hooks::scripted_model::{
    ConversationEntry, ModelAnswer, ModelRequest, ModelScript, ToolDialect,
};

use super::project_files::ProjectFiles;
use super::session_part::{COMPACTED_TOKENS, PartMove, PartTurn, SessionPart};

/// Stands in the prompt of the session, and so in every request of the main conversation.
pub(super) const MAIN_MARK: &str = "[job: main]";
/// Stands in the prompt of a subagent.
pub(super) const SUBAGENT_MARK: &str = "[job: subagent]";
/// The last words of a part.
pub(super) const LAST_WORDS: &str = "The job is done.";

/// Time that the model takes for an answer.
const THINKING: Duration = Duration::from_millis(600);
/// The beginning of a summary.
pub(super) const SUMMARY_START: &str = "<summary>";

/// Which conversation a request belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestRole {
    /// The conversation with the user.
    Main,
    /// The conversation of a subagent.
    Subagent,
    /// Titles, summaries and other errands of the agent program.
    Errand,
}

/// Plays a part.
pub(super) struct PartScript {
    part: &'static SessionPart,
    dialect: ToolDialect,
    files: ProjectFiles,
    main_round: usize,
    subagent_round: usize,
}

impl RequestRole {
    /// Finds the role of a request.
    pub(super) fn find(request: &ModelRequest) -> Self {
        let conversation = &request.conversation;
        // A summary has the mark too, and some agents pass it on as words of the model.
        let has = |mark: &str| conversation.messages().any(|text| text.contains(mark));
        if !conversation.offers_tools() || asks_for_summary(request) {
            RequestRole::Errand
        } else if has(MAIN_MARK) {
            RequestRole::Main
        } else if has(SUBAGENT_MARK) {
            RequestRole::Subagent
        } else {
            RequestRole::Errand
        }
    }
}

/// The words of requests for a summary that look like any other request.
const SUMMARY_WORDS: [&str; 4] = [
    "create a detailed summary",
    "provide a detailed summary",
    "context checkpoint compaction",
    "<state_snapshot>",
];

/// Returns whether the agent program asks for a summary of the conversation, to continue with it.
fn asks_for_summary(request: &ModelRequest) -> bool {
    let conversation = &request.conversation;
    let last = match conversation.entries.last() {
        Some(ConversationEntry::User(text)) => text.to_lowercase(),
        _ => String::new(),
    };
    let is_plain = SUMMARY_WORDS.iter().any(|words| last.contains(words));
    if is_plain || conversation.offers_tools() {
        return is_plain;
    }
    let instructions = conversation.entries.iter().filter_map(|entry| match entry {
        ConversationEntry::Instructions(text) => Some(text.to_lowercase()),
        _ => None,
    });
    let texts: Vec<String> = instructions.chain([last]).collect();
    let has = |word: &str| texts.iter().any(|text| text.contains(word));
    (has("summar") || has("snapshot")) && !has("title")
}

impl PartScript {
    /// Creates a script for one session.
    pub(super) fn new(part: &'static SessionPart, dialect: ToolDialect, files: ProjectFiles) -> Self {
        PartScript { part, dialect, files, main_round: 0, subagent_round: 0 }
    }
}

impl ModelScript for PartScript {
    fn answer(&mut self, request: &ModelRequest) -> ModelAnswer {
        // A model takes a while. Calls that come at once are taken for those of one message.
        thread::sleep(THINKING);
        let (play, round) = match RequestRole::find(request) {
            RequestRole::Main => (self.part.play, &mut self.main_round),
            RequestRole::Subagent => (self.part.subagent.unwrap_or(self.part.play), &mut self.subagent_round),
            RequestRole::Errand => return errand(request),
        };
        let told = guard_texts_in(&request.body).contains(&GuardText::Advice);
        let turn = PartTurn { round: *round, told, files: &self.files };
        let (deeds, tokens) = match play(&turn) {
            PartMove::Call(deeds) => (deeds, 1_000),
            PartMove::CallAndCompact(deeds) => (deeds, COMPACTED_TOKENS),
            PartMove::End => return ModelAnswer::say(LAST_WORDS),
        };
        *round += 1;
        let calls = deeds.iter().map(|deed| self.dialect.call(deed));
        ModelAnswer::call(calls).with_input_tokens(tokens)
    }
}

/// Answers an errand. A summary keeps the mark of the conversation.
fn errand(request: &ModelRequest) -> ModelAnswer {
    if !asks_for_summary(request) {
        return ModelAnswer::say("Demo job");
    }
    let text = format!("The user wants the job to be done. {MAIN_MARK}");
    let last = request.conversation.messages().next_back().unwrap_or_default();
    if last.contains("<state_snapshot>") {
        // The size that was read is compared with the size of the summary.
        let text = format!("{SUMMARY_START}<state_snapshot>{text}</state_snapshot>");
        return ModelAnswer::say(text).with_input_tokens(COMPACTED_TOKENS);
    }
    ModelAnswer::say(format!("{SUMMARY_START}{text}</summary>"))
}
