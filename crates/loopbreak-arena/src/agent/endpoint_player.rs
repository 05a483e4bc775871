//! A model as a player, and a model as a critic.

use loopbreak::Usage;

use super::chat_endpoint::ChatEndpoint;
use super::{prompt, reply};
use crate::agent_failure::AgentFailure;
use crate::player::{GamePlayer, PlayerMove};
use crate::player_context::PlayerContext;
use crate::proposal_critic::{CriticOpinion, ProposalCritic};

/// A player that asks a model behind an endpoint.
#[derive(Clone, Debug)]
pub struct EndpointPlayer {
    chat: ChatEndpoint,
}

impl EndpointPlayer {
    /// Creates a player that asks this model.
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

/// A critic that asks a model behind an endpoint.
#[derive(Clone, Debug)]
pub struct EndpointCritic {
    chat: ChatEndpoint,
}

impl EndpointCritic {
    /// Creates a critic that asks this model.
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
