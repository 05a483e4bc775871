//! A player that reads commands from standard input.

use std::io::{self, IsTerminal as _, Write as _};

use loopbreak_arena::line_protocol::{ProgramLine, ProgramLines};
use loopbreak_arena::{AgentFailure, CancelFlag, FailureKind, GamePlayer, PlayerContext, PlayerMove};

/// Maximum length of a command.
const LINE: usize = 1000;

/// A person at the terminal.
#[derive(Debug)]
pub(super) struct HumanPlayer {
    lines: ProgramLines,
    cancel: CancelFlag,
    /// True if a prompt is shown, because standard input is a terminal.
    prompt: bool,
}

impl HumanPlayer {
    pub(super) fn new(cancel: &CancelFlag) -> Self {
        let prompt = io::stdin().is_terminal();
        HumanPlayer { lines: ProgramLines::new(io::stdin(), LINE), cancel: cancel.clone(), prompt }
    }
}

impl GamePlayer for HumanPlayer {
    fn name(&self) -> String {
        "you".to_owned()
    }

    fn propose(&mut self, _: &PlayerContext) -> Result<PlayerMove, AgentFailure> {
        loop {
            if self.prompt {
                let mut out = io::stdout();
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
