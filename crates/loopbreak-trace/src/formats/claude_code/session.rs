//! From lines to the agents of a session.

use std::collections::VecDeque;

use super::agent::{ClaudeAgent, ClaudePosition, split};
use super::call_fate::words;
use super::entry::{ClaudeApiMessage, ClaudeEntry, ProgressMessage};
use super::seen_ids::{IdKind, SeenIds};
use crate::log_format::{LogReader, LogUnit};
use crate::log_record::RecordSink;
use crate::message::MessageContent;
use crate::skip_reason::SkipReason;

/// How many agents are kept at a time. The one that was silent longest goes first.
const AGENTS: usize = 512;
/// How many sidechains without names are told apart.
const CHAINS: usize = 64;

/// Reads a transcript, or several of one session side by side.
#[derive(Debug)]
pub(super) struct ClaudeSession {
    /// The one that spoke last is last.
    agents: Vec<ClaudeAgent>,
    /// Agents that have files of their own: what the main file tells of them is told there too.
    beside: Vec<String>,
    chains: SidechainNames,
    seen: SeenIds,
}

impl ClaudeSession {
    pub(super) fn new(beside: &[String]) -> Self {
        ClaudeSession {
            agents: Vec::new(),
            beside: beside.to_vec(),
            chains: SidechainNames::default(),
            seen: SeenIds::default(),
        }
    }

    /// The agent of this name, new if it is not known.
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

    /// A line, or a line inside a line: then it is told which agent's it is.
    fn line(
        &mut self,
        line: ClaudeEntry<'_>,
        of: Option<&str>,
        number: u64,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        let session = line.session.as_deref();
        let chain = self.chains.of(&line);
        let name = of
            .or(line.agent.as_deref().filter(|_| line.is_sidechain))
            .or(line.parent_call.as_deref())
            .or(chain.as_deref());
        let spot = ClaudePosition { line: number, at: line.timestamp };
        match line.kind.as_deref() {
            Some("assistant") if !line.is_api_error => {
                let message = line.message.unwrap_or_default();
                self.assistant(session, name, message, line.cost, spot, sink);
                Ok(())
            }
            Some("user") => {
                let is_human = !line.is_meta && !line.is_summary && name.is_none();
                let content = line.message.map_or(MessageContent::None, |message| message.content);
                self.user(session, name, content, is_human, spot, sink)
            }
            Some("attachment") => {
                let queued = line.attachment.filter(|what| what.kind.as_deref() == Some("queued_command"));
                if let Some(words) = queued.and_then(|what| words(what.prompt.into_blocks()))
                    && !line.is_meta
                    && name.is_none()
                {
                    self.agent(session, name, sink).is_told(words, spot, sink);
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
                if self.beside.iter().any(|beside| **beside == *agent) {
                    return Ok(());
                }
                inner.session = line.session;
                inner.timestamp = inner.timestamp.or(line.timestamp);
                self.line(*inner, Some(&agent), number, sink)
            }
            Some("result") => {
                if let Some(dollars) = line.total_cost {
                    self.agent(session, None, sink).costs(dollars);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// A piece of a message of the model.
    fn assistant(
        &mut self,
        session: Option<&str>,
        name: Option<&str>,
        message: ClaudeApiMessage<'_>,
        dollars: Option<f64>,
        spot: ClaudePosition,
        sink: &mut dyn RecordSink,
    ) {
        let going_on = self.agent(session, name, sink).is_in(message.id.as_deref());
        let id = message.id.as_deref().filter(|_| !going_on);
        let again = id.is_some_and(|id| !self.seen.is_new(IdKind::Message, id));
        let mut blocks = message.content.into_blocks();
        blocks.retain(|block| match (&*block.kind, block.id.as_deref()) {
            ("tool_use" | "server_tool_use", Some(id)) => self.seen.is_new(IdKind::Call, id),
            _ => !again,
        });
        let agent = self.agent(session, name, sink);
        if again && blocks.is_empty() {
            agent.closes(sink);
            return;
        }
        agent.begins(message.id.as_deref(), message.model.as_deref(), sink);
        if let Some(tokens) = message.usage.filter(|_| !again) {
            agent.takes(tokens);
        }
        if let Some(dollars) = dollars.filter(|_| !again) {
            agent.costs(dollars);
        }
        agent.speaks(blocks, spot, sink);
    }

    /// A message under the role `user`: results, and words.
    fn user(
        &mut self,
        session: Option<&str>,
        name: Option<&str>,
        content: MessageContent<'_>,
        is_human: bool,
        spot: ClaudePosition,
        sink: &mut dyn RecordSink,
    ) -> Result<(), SkipReason> {
        let (results, rest) = split(content);
        let mut heard = Ok(());
        for result in results {
            let id = result.tool_use_id.as_deref().unwrap_or_default();
            if !self.seen.is_new(IdKind::Result, id) {
                self.agent(session, name, sink).closes(sink);
                continue;
            }
            let one = self.agent(session, name, sink).hears(result, spot, sink);
            heard = heard.and(one);
        }
        // Nobody says two things in one millisecond.
        let is_new =
            |seen: &mut SeenIds| spot.at.is_none_or(|at| seen.is_new(IdKind::Turn, &at.0.to_string()));
        if is_human && let Some(words) = words(rest) {
            let is_new = is_new(&mut self.seen);
            let agent = self.agent(session, name, sink);
            if is_new {
                agent.is_told(words, spot, sink);
            } else {
                agent.closes(sink);
            }
        }
        heard
    }
}

impl LogReader for ClaudeSession {
    fn read_unit(&mut self, unit: LogUnit<'_>, sink: &mut dyn RecordSink) -> Result<(), SkipReason> {
        // Notes that people put into fixtures and excerpts.
        if unit.text.starts_with("//") {
            return Ok(());
        }
        let line: ClaudeEntry<'_> =
            serde_json::from_str(unit.text).map_err(|error| SkipReason::malformed(unit.text, &error))?;
        self.line(line, None, unit.line, sink)
    }

    fn add_agent_file(&mut self, agent: &str) {
        if !self.beside.iter().any(|beside| beside == agent) {
            self.beside.push(agent.to_owned());
        }
    }

    fn end(&mut self, sink: &mut dyn RecordSink) {
        for mut agent in self.agents.drain(..) {
            agent.end(sink);
        }
    }
}

/// Sidechains of old transcripts have no names: they are told apart by who follows whom.
#[derive(Debug, Default)]
struct SidechainNames {
    /// The last line of each, oldest first, and its number.
    tips: VecDeque<(String, u32)>,
    count: u32,
}

impl SidechainNames {
    /// A name for the chain of this line, where it is on one that has no name of its own.
    fn of(&mut self, line: &ClaudeEntry<'_>) -> Option<String> {
        if !line.is_sidechain || line.agent.is_some() {
            return None;
        }
        let parent = line.parent.as_deref();
        let known = self.tips.iter().position(|(tip, _)| Some(tip.as_str()) == parent);
        let number = match known.and_then(|at| self.tips.remove(at)) {
            Some((_, number)) => number,
            // A branch: most likely of the one that spoke last.
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
