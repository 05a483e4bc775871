//! Distributes the lines of a session to its agents.

use std::collections::VecDeque;

use super::agent::{ClaudeAgent, ClaudePosition, split};
use super::call_fate::user_text;
use super::entry::{ClaudeApiMessage, ClaudeEntry, ProgressMessage};
use super::seen_ids::{IdKind, SeenIds};
use crate::log_format::{LogReader, LogUnit};
use crate::log_record::RecordSink;
use crate::message::MessageContent;
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
}

impl ClaudeSession {
    pub(super) fn new(agents_with_files: &[String]) -> Self {
        ClaudeSession {
            agents: Vec::new(),
            agents_with_files: agents_with_files.to_vec(),
            chains: SidechainNames::default(),
            seen: SeenIds::default(),
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
        line: ClaudeEntry<'_>,
        of: Option<&str>,
        number: u64,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        let session = line.session.as_deref();
        let chain = self.chains.name_of(&line);
        let name = of
            .or(line.agent.as_deref().filter(|_| line.is_sidechain))
            .or(line.parent_call.as_deref())
            .or(chain.as_deref());
        let position = ClaudePosition { line: number, at: line.timestamp };
        match line.kind.as_deref() {
            Some("assistant") if !line.is_api_error => {
                let message = line.message.unwrap_or_default();
                self.assistant(session, name, message, line.cost, position, sink);
                Ok(())
            }
            Some("user") => {
                let is_human = !line.is_meta && !line.is_summary && name.is_none();
                let content = line.message.map_or(MessageContent::None, |message| message.content);
                self.user(session, name, content, is_human, position, sink)
            }
            Some("attachment") => {
                let queued = line.attachment.filter(|what| what.kind.as_deref() == Some("queued_command"));
                if let Some(words) = queued.and_then(|what| user_text(what.prompt.into_blocks()))
                    && !line.is_meta
                    && name.is_none()
                {
                    self.agent(session, name, sink).add_user_text(words, position, sink);
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
                inner.session = line.session;
                inner.timestamp = inner.timestamp.or(line.timestamp);
                self.line(*inner, Some(&agent), number, sink)
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

    /// Reads a message under the role `user`: results and texts.
    fn user(
        &mut self,
        session: Option<&str>,
        name: Option<&str>,
        content: MessageContent<'_>,
        is_human: bool,
        position: ClaudePosition,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        let (results, rest) = split(content);
        let mut heard = Ok(());
        for result in results {
            let id = result.tool_use_id.as_deref().unwrap_or_default();
            if !self.seen.is_new(IdKind::Result, id) {
                self.agent(session, name, sink).close_message(sink);
                continue;
            }
            let one = self.agent(session, name, sink).add_result(result, position, sink);
            heard = heard.and(one);
        }
        // A user does not send two messages in the same millisecond.
        let is_new =
            |seen: &mut SeenIds| position.at.is_none_or(|at| seen.is_new(IdKind::Turn, &at.0.to_string()));
        if is_human && let Some(words) = user_text(rest) {
            let is_new = is_new(&mut self.seen);
            let agent = self.agent(session, name, sink);
            if is_new {
                agent.add_user_text(words, position, sink);
            } else {
                agent.close_message(sink);
            }
        }
        heard
    }
}

impl LogReader for ClaudeSession {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        // Comments that people add to fixtures and excerpts.
        if unit.text.starts_with("//") {
            return Ok(());
        }
        let line: ClaudeEntry<'_> =
            serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))?;
        self.line(line, None, unit.line, sink)
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
