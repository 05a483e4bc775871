//! A program that plays, and a program that judges. See `docs/guide/worlds.md`.

use std::time::Duration;

use loopbreak::Usage;
use serde::{Deserialize, Serialize};

use super::reply;
use crate::context::Context;
use crate::critic::{Critic, Opinion};
use crate::failure::{Failure, FailureKind};
use crate::halt::Halt;
use crate::player::{Move, Player};
use crate::talk::{Program, TalkError};

/// What a program is asked.
#[derive(Serialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Ask<'a> {
    Propose { context: &'a Context },
    Judge { context: &'a Context, action: &'a str },
}

#[derive(Deserialize)]
struct Proposed {
    action: Option<String>,
    reason: Option<String>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct Judged {
    score: Option<f64>,
    reason: Option<String>,
    usage: Option<Usage>,
}

/// A program that plays.
#[derive(Debug)]
pub struct CommandPlayer {
    program: Program,
    spent: Usage,
}

impl CommandPlayer {
    /// Starts the program. No answer of its may take longer than `timeout`.
    pub fn start(words: &[String], timeout: Duration, halt: &Halt) -> Result<Self, TalkError> {
        Ok(CommandPlayer { program: Program::start(words, timeout, halt)?, spent: Usage::default() })
    }
}

impl Player for CommandPlayer {
    fn name(&self) -> String {
        self.program.name().to_owned()
    }

    fn propose(&mut self, context: &Context) -> Result<Move, Failure> {
        let Proposed { action, reason, usage } =
            self.program.ask(&Ask::Propose { context }).map_err(|error| failure(&error))?;
        self.spent = usage.unwrap_or_default();
        reply::checked(&action.unwrap_or_default(), &reason.unwrap_or_default())
    }

    fn spent(&mut self) -> Usage {
        std::mem::take(&mut self.spent)
    }
}

/// A program that judges.
#[derive(Debug)]
pub struct CommandCritic {
    program: Program,
    spent: Usage,
}

impl CommandCritic {
    /// Starts the program. No answer of its may take longer than `timeout`.
    pub fn start(words: &[String], timeout: Duration, halt: &Halt) -> Result<Self, TalkError> {
        Ok(CommandCritic { program: Program::start(words, timeout, halt)?, spent: Usage::default() })
    }
}

impl Critic for CommandCritic {
    fn judge(&mut self, context: &Context, action: &str) -> Result<Option<Opinion>, Failure> {
        let Judged { score, reason, usage } =
            self.program.ask(&Ask::Judge { context, action }).map_err(|error| failure(&error))?;
        self.spent = usage.unwrap_or_default();
        score.map(|score| reply::judged(score, &reason.unwrap_or_default())).transpose()
    }

    fn spent(&mut self) -> Usage {
        std::mem::take(&mut self.spent)
    }
}

fn failure(error: &TalkError) -> Failure {
    let kind = match error {
        TalkError::Start(..) | TalkError::Ended(..) => FailureKind::Ended,
        TalkError::Timeout(..) | TalkError::Halted => FailureKind::Timeout,
        TalkError::TooLong(_) => FailureKind::TooLarge,
        TalkError::Malformed(..) => FailureKind::Malformed,
        TalkError::Said(..) => FailureKind::ServerError,
    };
    Failure::new(kind, error.to_string())
}
