//! Agents and critics that ask somebody else: a model behind an endpoint, or a program.

mod api_key;
mod chat_attempt;
mod chat_endpoint;
mod chat_limits;
mod command_player;
mod endpoint_player;
mod prompt;
mod reply;
mod trusted_roots;

pub use api_key::ApiKey;
pub use chat_endpoint::ChatEndpoint;
pub use chat_limits::{ChatLimits, TokenPrices};
pub use command_player::{CommandCritic, CommandPlayer};
pub use endpoint_player::{EndpointCritic, EndpointPlayer};
