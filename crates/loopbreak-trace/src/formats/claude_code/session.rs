//! Distributes the lines of a session to its agents.

use std::collections::VecDeque;

use loopbreak::step::{EpochMillis, HarnessEvent};

use super::agent::{ClaudeAgent, ClaudePosition, split};
use super::entry::{ClaudeApiMessage, ClaudeDenial, ClaudeEntry, ClaudeOrigin, ProgressMessage, is_ignored};
use super::seen_ids::{IdKind, SeenIds};
use super::user_content::{AuthorMarks, UserContent};
use crate::log_format::{LogReader, LogUnit};
use crate::log_record::RecordSink;
use crate::message::{ContentBlock, MessageContent};
use crate::skip_reason::SkipReason;

/// Maximum number of agents. The one that was silent longest is dropped first.
const AGENTS: usize = 512;
/// Maximum number of unnamed sidechains.
const CHAINS: usize = 64;

/// Reads a transcript, or several of one session together.
#[derive(Debug)]
pub(super) struct ClaudeSession {
    /// Agents, the most recently active one last.
    agents: Vec<ClaudeAgent>,
    /// Agents that have their own files. The main file repeats their messages, which are ignored there.
    agents_with_files: Vec<String>,
    chains: SidechainNames,
    seen: SeenIds,
    /// Session and name of the agents that have done nothing since a compaction.
    compacted: Vec<(Option<String>, Option<String>)>,
    /// The session whose folder was named last, and whether any was: lines may have none.
    placed: (bool, Option<String>),
}

impl ClaudeSession {
    pub(super) fn new(agents_with_files: &[String]) -> Self {
        ClaudeSession {
            agents: Vec::new(),
            agents_with_files: agents_with_files.to_vec(),
            chains: SidechainNames::default(),
            seen: SeenIds::default(),
            compacted: Vec::new(),
            placed: (false, None),
        }
    }

    /// Returns the agent with this name, and creates it if necessary.
    fn agent(
        &mut self,
        session: Option<&str>,
        name: Option<&str>,
        sink: &mut dyn RecordSink,
    ) -> &mut ClaudeAgent {
        let known = self.agents.iter().rposition(|agent| agent.is(session, name));
        match known {
            Some(at) if at + 1 == self.agents.len() => {}
            Some(at) => {
                let agent = self.agents.remove(at);
                self.agents.push(agent);
            }
            None => {
                if self.agents.len() >= AGENTS {
                    self.agents.remove(0).end(sink);
                }
                self.agents.push(ClaudeAgent::new(session, name));
            }
        }
        let last = self.agents.len() - 1;
        &mut self.agents[last]
    }

    /// Reads a line, or a line inside a line; `of` is then the agent it belongs to.
    fn line(
        &mut self,
        mut line: ClaudeEntry<'_>,
        of: Option<&str>,
        number: u64,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        let (session_id, denial) = (line.take_session(), line.take_denial());
        let session = session_id.as_deref();
        if let Some(folder) = line.cwd.as_deref()
            && (!self.placed.0 || self.placed.1.as_deref() != session)
        {
            sink.project(session, folder);
            self.placed = (true, session.map(str::to_owned));
        }
        let chain = self.chains.name_of(&line);
        let name = of
            .or(line.agent.as_deref().filter(|_| line.is_sidechain))
            .or(line.parent_call.as_deref())
            .or(chain.as_deref());
        let position = ClaudePosition { line: number, at: line.timestamp };
        let mut marks = AuthorMarks {
            is_machine: line.is_meta || line.is_synthetic,
            is_summary: line.is_summary,
            is_to_subagent: name.is_some(),
            event: line.event(),
        };
        match line.kind.as_deref() {
            Some("assistant") if !line.is_api_error => {
                let message = line.message.unwrap_or_default();
                self.assistant(session, name, message, line.cost, position, sink);
                Ok(())
            }
            Some("user") => {
                let content = line.message.map_or(MessageContent::None, |message| message.content);
                let (results, rest) = split(content);
                let heard = self.results(session, name, results, &denial, position, sink);
                self.texts(session, name, UserContent::new(rest, marks), line.timestamp, position, sink);
                heard
            }
            Some("attachment") => {
                if let Some(what) = line.attachment
                    && what.kind.as_deref() == Some("queued_command")
                {
                    marks.event = what.origin.as_ref().and_then(ClaudeOrigin::event).or(marks.event);
                    let content = UserContent::new(what.prompt.into_blocks(), marks);
                    // Several may be attached in the same millisecond.
                    self.texts(session, name, content, None, position, sink);
                }
                Ok(())
            }
            Some("progress") => {
                let Some(progress) = line.data else { return Ok(()) };
                let (Some(agent), Some(ProgressMessage::Line(mut inner))) =
                    (progress.agent, progress.message)
                else {
                    return Ok(());
                };
                if self.agents_with_files.iter().any(|agents_with_files| **agents_with_files == *agent) {
                    return Ok(());
                }
                inner.set_session(session_id.clone());
                inner.timestamp = inner.timestamp.or(line.timestamp);
                self.line(*inner, Some(&agent), number, sink)
            }
            Some("system") if line.subtype.as_deref() == Some("compact_boundary") => {
                let content = UserContent::Event(HarnessEvent::Compaction);
                self.texts(session, name, content, line.timestamp, position, sink);
                Ok(())
            }
            Some("result") => {
                if let Some(dollars) = line.total_cost {
                    self.agent(session, None, sink).add_cost(dollars);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Reads a piece of a message of the model.
    fn assistant(
        &mut self,
        session: Option<&str>,
        name: Option<&str>,
        message: ClaudeApiMessage<'_>,
        dollars: Option<f64>,
        position: ClaudePosition,
        sink: &mut dyn RecordSink,
    ) {
        self.compacted.retain(|agent| !is_agent(agent, session, name));
        let is_current = self.agent(session, name, sink).is_in_message(message.id.as_deref());
        let id = message.id.as_deref().filter(|_| !is_current);
        let is_repeated = id.is_some_and(|id| !self.seen.is_new(IdKind::Message, id));
        let mut blocks = message.content.into_blocks();
        blocks.retain(|block| match (&*block.kind, block.id.as_deref()) {
            ("tool_use" | "server_tool_use", Some(id)) => self.seen.is_new(IdKind::Call, id),
            _ => !is_repeated,
        });
        let agent = self.agent(session, name, sink);
        if is_repeated && blocks.is_empty() {
            agent.close_message(sink);
            return;
        }
        agent.begin_message(message.id.as_deref(), message.model.as_deref(), sink);
        if let Some(tokens) = message.usage.filter(|_| !is_repeated) {
            agent.add_usage(tokens);
        }
        if let Some(dollars) = dollars.filter(|_| !is_repeated) {
            agent.add_cost(dollars);
        }
        agent.add_blocks(blocks, position, sink);
    }

    /// Reads the results in a message under the role `user`.
    fn results(
        &mut self,
        session: Option<&str>,
        name: Option<&str>,
        results: Vec<ContentBlock<'_>>,
        denial: &ClaudeDenial<'_>,
        position: ClaudePosition,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        let mut heard = Ok(());
        for result in results {
            let id = result.tool_use_id.as_deref().unwrap_or_default();
            if !self.seen.is_new(IdKind::Result, id) {
                self.agent(session, name, sink).close_message(sink);
                continue;
            }
            let one = self.agent(session, name, sink).add_result(result, denial, position, sink);
            heard = heard.and(one);
        }
        heard
    }

    /// Reads the texts in a message under the role `user`. A text that was `written_at` the same time as an earlier one
    /// is a repetition of it.
    fn texts(
        &mut self,
        session: Option<&str>,
        name: Option<&str>,
        content: UserContent<'_>,
        written_at: Option<EpochMillis>,
        position: ClaudePosition,
        sink: &mut dyn RecordSink,
    ) {
        let is_new =
            |seen: &mut SeenIds, kind| written_at.is_none_or(|at| seen.is_new(kind, &at.0.to_string()));
        match content {
            UserContent::Human(words) => {
                self.compacted.retain(|agent| !is_agent(agent, session, name));
                let is_new = is_new(&mut self.seen, IdKind::Turn);
                let agent = self.agent(session, name, sink);
                if is_new {
                    agent.add_user_text(words, position, sink);
                } else {
                    agent.close_message(sink);
                }
            }
            UserContent::Event(event) => {
                let is_new = is_new(&mut self.seen, IdKind::Event);
                if is_new && !self.is_repeated_compaction(session, name, event) {
                    self.agent(session, name, sink).add_event(event, position, sink);
                }
            }
            UserContent::Nothing => {}
        }
    }

    /// Returns whether an event is a compaction that was read before. It is logged as a boundary, as a summary, or as
    /// both.
    fn is_repeated_compaction(
        &mut self,
        session: Option<&str>,
        name: Option<&str>,
        event: HarnessEvent,
    ) -> bool {
        let count = self.compacted.len();
        self.compacted.retain(|agent| !is_agent(agent, session, name));
        if event != HarnessEvent::Compaction {
            return false;
        }
        let is_repeated = self.compacted.len() < count;
        if self.compacted.len() >= AGENTS {
            self.compacted.remove(0);
        }
        self.compacted.push((session.map(str::to_owned), name.map(str::to_owned)));
        is_repeated
    }
}

/// Returns whether this is the agent with this session and name.
fn is_agent(agent: &(Option<String>, Option<String>), session: Option<&str>, name: Option<&str>) -> bool {
    agent.1.as_deref() == name && agent.0.as_deref() == session
}

impl LogReader for ClaudeSession {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        // Comments that people add to fixtures and excerpts.
        if unit.text.starts_with("//") {
            return Ok(());
        }
        match serde_json::from_str(unit.text) {
            Ok(line) => self.line(line, None, unit.line, sink),
            Err(_) if is_ignored(unit.text) => Ok(()),
            Err(error) => Err(SkipReason::malformed(unit.text, &error)),
        }
    }

    fn add_agent_file(&mut self, agent: &str) {
        if !self.agents_with_files.iter().any(|agents_with_files| agents_with_files == agent) {
            self.agents_with_files.push(agent.to_owned());
        }
    }

    fn end(&mut self, sink: &mut dyn RecordSink) {
        for mut agent in self.agents.drain(..) {
            agent.end(sink);
        }
    }
}

/// Sidechains of old transcripts have no names: they are identified by the chain of parents.
#[derive(Debug, Default)]
struct SidechainNames {
    /// Last line of each chain, oldest first, and the number of the chain.
    tips: VecDeque<(String, u32)>,
    count: u32,
}

impl SidechainNames {
    /// Returns a name for the chain of a line, if the line is on a chain without a name.
    fn name_of(&mut self, line: &ClaudeEntry<'_>) -> Option<String> {
        if !line.is_sidechain || line.agent.is_some() {
            return None;
        }
        let parent = line.parent.as_deref();
        let known = self.tips.iter().position(|(tip, _)| Some(tip.as_str()) == parent);
        let number = match known.and_then(|at| self.tips.remove(at)) {
            Some((_, number)) => number,
            // A branch: most likely of the chain that was active last.
            None if parent.is_some() && self.count > 0 => self.tips.back().map_or(self.count, |tip| tip.1),
            None => {
                self.count = self.count.saturating_add(1);
                self.count
            }
        };
        if self.tips.len() >= CHAINS {
            self.tips.pop_front();
        }
        self.tips.push_back((line.uuid.as_deref().unwrap_or_default().to_owned(), number));
        Some(format!("sidechain-{number}"))
    }
}
