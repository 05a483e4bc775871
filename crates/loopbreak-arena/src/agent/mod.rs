//! Agents and critics that ask somebody else: a model behind an endpoint, or a program.

mod ask;
mod chat;
mod command;
mod endpoint;
mod limits;
mod prompt;
mod reply;
mod secret;
mod trusted;

pub use chat::Chat;
pub use command::{CommandCritic, CommandPlayer};
pub use endpoint::{EndpointCritic, EndpointPlayer};
pub use limits::{Limits, Prices};
pub use secret::Secret;
