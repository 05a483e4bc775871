//! A program that plays, and a program that judges. See `docs/guide/worlds.md`.

use std::time::Duration;

use loopbreak::Usage;
use serde::{Deserialize, Serialize};

use super::reply;
use crate::agent_failure::{AgentFailure, FailureKind};
use crate::cancel_flag::CancelFlag;
use crate::line_protocol::{LineProgram, ProtocolError};
use crate::player::{GamePlayer, PlayerMove};
use crate::player_context::PlayerContext;
use crate::proposal_critic::{CriticOpinion, ProposalCritic};

/// What a program is asked.
#[derive(Serialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum AgentQuery<'a> {
    Propose { context: &'a PlayerContext },
    Judge { context: &'a PlayerContext, action: &'a str },
}

#[derive(Deserialize)]
struct ProposeReply {
    action: Option<String>,
    reason: Option<String>,
    usage: Option<Usage>,
}

#[derive(Deserialize)]
struct JudgeReply {
    score: Option<f64>,
    reason: Option<String>,
    usage: Option<Usage>,
}

/// A program that plays.
#[derive(Debug)]
pub struct CommandPlayer {
    program: LineProgram,
    spent: Usage,
}

impl CommandPlayer {
    /// Starts the program. No answer of its may take longer than `timeout`.
    pub fn start(words: &[String], timeout: Duration, cancel: &CancelFlag) -> Result<Self, ProtocolError> {
        Ok(CommandPlayer { program: LineProgram::start(words, timeout, cancel)?, spent: Usage::default() })
    }
}

impl GamePlayer for CommandPlayer {
    fn name(&self) -> String {
        self.program.name().to_owned()
    }

    fn propose(&mut self, context: &PlayerContext) -> Result<PlayerMove, AgentFailure> {
        let ProposeReply { action, reason, usage } =
            self.program.ask(&AgentQuery::Propose { context }).map_err(|error| failure(&error))?;
        self.spent = usage.unwrap_or_default();
        reply::checked(&action.unwrap_or_default(), &reason.unwrap_or_default())
    }

    fn take_usage(&mut self) -> Usage {
        std::mem::take(&mut self.spent)
    }
}

/// A program that judges.
#[derive(Debug)]
pub struct CommandCritic {
    program: LineProgram,
    spent: Usage,
}

impl CommandCritic {
    /// Starts the program. No answer of its may take longer than `timeout`.
    pub fn start(words: &[String], timeout: Duration, cancel: &CancelFlag) -> Result<Self, ProtocolError> {
        Ok(CommandCritic { program: LineProgram::start(words, timeout, cancel)?, spent: Usage::default() })
    }
}

impl ProposalCritic for CommandCritic {
    fn judge(
        &mut self,
        context: &PlayerContext,
        action: &str,
    ) -> Result<Option<CriticOpinion>, AgentFailure> {
        let JudgeReply { score, reason, usage } =
            self.program.ask(&AgentQuery::Judge { context, action }).map_err(|error| failure(&error))?;
        self.spent = usage.unwrap_or_default();
        score.map(|score| reply::judged(score, &reason.unwrap_or_default())).transpose()
    }

    fn take_usage(&mut self) -> Usage {
        std::mem::take(&mut self.spent)
    }
}

fn failure(error: &ProtocolError) -> AgentFailure {
    let kind = match error {
        ProtocolError::Start(..) | ProtocolError::Ended(..) => FailureKind::Ended,
        ProtocolError::Timeout(..) | ProtocolError::Cancelled => FailureKind::Timeout,
        ProtocolError::TooLong(_) => FailureKind::TooLarge,
        ProtocolError::Malformed(..) => FailureKind::Malformed,
        ProtocolError::Said(..) => FailureKind::ServerError,
    };
    AgentFailure::new(kind, error.to_string())
}
