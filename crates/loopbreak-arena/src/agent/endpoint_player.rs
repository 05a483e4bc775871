//! A model that plays, and a model that judges.

use loopbreak::Usage;

use super::chat_endpoint::ChatEndpoint;
use super::{prompt, reply};
use crate::agent_failure::AgentFailure;
use crate::player::{GamePlayer, PlayerMove};
use crate::player_context::PlayerContext;
use crate::proposal_critic::{CriticOpinion, ProposalCritic};

/// A model behind an endpoint that plays.
#[derive(Clone, Debug)]
pub struct EndpointPlayer {
    chat: ChatEndpoint,
}

impl EndpointPlayer {
    /// This model.
    pub fn new(chat: ChatEndpoint) -> Self {
        EndpointPlayer { chat }
    }
}

impl GamePlayer for EndpointPlayer {
    fn name(&self) -> String {
        self.chat.model().to_owned()
    }

    fn propose(&mut self, context: &PlayerContext) -> Result<PlayerMove, AgentFailure> {
        reply::action(&self.chat.ask(&prompt::for_player(context))?)
    }

    fn take_usage(&mut self) -> Usage {
        self.chat.take_usage()
    }
}

/// A model behind an endpoint that judges.
#[derive(Clone, Debug)]
pub struct EndpointCritic {
    chat: ChatEndpoint,
}

impl EndpointCritic {
    /// This model.
    pub fn new(chat: ChatEndpoint) -> Self {
        EndpointCritic { chat }
    }
}

impl ProposalCritic for EndpointCritic {
    fn judge(
        &mut self,
        context: &PlayerContext,
        action: &str,
    ) -> Result<Option<CriticOpinion>, AgentFailure> {
        reply::opinion(&self.chat.ask(&prompt::for_critic(context, action))?).map(Some)
    }

    fn take_usage(&mut self) -> Usage {
        self.chat.take_usage()
    }
}
