//! A model that plays, and a model that judges.

use loopbreak::Usage;

use super::chat::Chat;
use super::{prompt, reply};
use crate::context::Context;
use crate::critic::{Critic, Opinion};
use crate::failure::Failure;
use crate::player::{Move, Player};

/// A model behind an endpoint that plays.
#[derive(Clone, Debug)]
pub struct EndpointPlayer {
    chat: Chat,
}

impl EndpointPlayer {
    /// This model.
    pub fn new(chat: Chat) -> Self {
        EndpointPlayer { chat }
    }
}

impl Player for EndpointPlayer {
    fn name(&self) -> String {
        self.chat.model().to_owned()
    }

    fn propose(&mut self, context: &Context) -> Result<Move, Failure> {
        reply::action(&self.chat.ask(&prompt::for_player(context))?)
    }

    fn spent(&mut self) -> Usage {
        self.chat.spent()
    }
}

/// A model behind an endpoint that judges.
#[derive(Clone, Debug)]
pub struct EndpointCritic {
    chat: Chat,
}

impl EndpointCritic {
    /// This model.
    pub fn new(chat: Chat) -> Self {
        EndpointCritic { chat }
    }
}

impl Critic for EndpointCritic {
    fn judge(&mut self, context: &Context, action: &str) -> Result<Option<Opinion>, Failure> {
        reply::opinion(&self.chat.ask(&prompt::for_critic(context, action))?).map(Some)
    }

    fn spent(&mut self) -> Usage {
        self.chat.spent()
    }
}
