//! A player that reads commands from a person.

use std::io::{Read, Write};

use crate::agent_failure::{AgentFailure, FailureKind};
use crate::cancel_flag::CancelFlag;
use crate::line_protocol::{ProgramLine, ProgramLines};
use crate::player::{GamePlayer, PlayerMove};
use crate::player_context::PlayerContext;

/// Maximum length of a command, in bytes.
const MAX_LINE_BYTES: usize = 1000;

/// A person who types commands.
#[derive(Debug)]
pub struct HumanPlayer<W> {
    lines: ProgramLines,
    cancel: CancelFlag,
    prompt: Option<W>,
}

impl<W: Write> HumanPlayer<W> {
    /// Creates a player that reads its commands from `input`. If `prompt` is set, `> ` is written to it before each
    /// command.
    pub fn new(input: impl Read + Send + 'static, prompt: Option<W>, cancel: &CancelFlag) -> Self {
        HumanPlayer { lines: ProgramLines::new(input, MAX_LINE_BYTES), cancel: cancel.clone(), prompt }
    }
}

impl<W: Write> GamePlayer for HumanPlayer<W> {
    fn name(&self) -> String {
        "you".to_owned()
    }

    fn propose(&mut self, _: &PlayerContext) -> Result<PlayerMove, AgentFailure> {
        loop {
            if let Some(out) = &mut self.prompt {
                // A prompt that nobody can see is not needed.
                let _ = out.write_all(b"> ").and_then(|()| out.flush());
            }
            match self.lines.next(None, &self.cancel) {
                ProgramLine::Text(line) => {
                    let line: String = line.chars().filter(|c| !c.is_control()).collect();
                    if !line.trim().is_empty() {
                        return Ok(line.trim().into());
                    }
                }
                ProgramLine::TooLong => {}
                ProgramLine::Late | ProgramLine::End => {
                    return Err(AgentFailure::new(FailureKind::Left, "standard input was closed"));
                }
                ProgramLine::Cancelled => return Err(AgentFailure::new(FailureKind::Timeout, "interrupted")),
            }
        }
    }
}
