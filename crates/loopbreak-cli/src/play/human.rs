//! A person at the terminal, or whatever standard input is.

use std::io::{self, IsTerminal as _, Write as _};

use loopbreak_arena::talk::{Line, Lines};
use loopbreak_arena::{Context, Failure, FailureKind, Halt, Move, Player};

/// The longest line that a person types.
const LINE: usize = 1000;

/// A person.
#[derive(Debug)]
pub(super) struct Person {
    lines: Lines,
    halt: Halt,
    /// Whoever types sees a prompt.
    prompt: bool,
}

impl Person {
    pub(super) fn new(halt: &Halt) -> Self {
        let prompt = io::stdin().is_terminal();
        Person { lines: Lines::new(io::stdin(), LINE), halt: halt.clone(), prompt }
    }
}

impl Player for Person {
    fn name(&self) -> String {
        "you".to_owned()
    }

    fn propose(&mut self, _: &Context) -> Result<Move, Failure> {
        loop {
            if self.prompt {
                let mut out = io::stdout();
                let _ = out.write_all(b"> ").and_then(|()| out.flush());
            }
            match self.lines.next(None, &self.halt) {
                Line::Text(line) => {
                    let line: String = line.chars().filter(|c| !c.is_control()).collect();
                    if !line.trim().is_empty() {
                        return Ok(line.trim().into());
                    }
                }
                Line::TooLong => {}
                Line::Late | Line::End => return Err(Failure::new(FailureKind::Left, "nobody types")),
                Line::Halted => return Err(Failure::new(FailureKind::Timeout, "interrupted")),
            }
        }
    }
}
