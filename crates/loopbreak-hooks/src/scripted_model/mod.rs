//! A model that follows a script: it speaks the protocols of the model providers on the loopback address.
//!
//! A coding agent that is pointed at it can be run without credentials, and what the agent sends shows what reached the
//! model. [`ScriptedServer`] is the server, a [`ModelScript`] decides what it answers, and a [`ToolDialect`] translates
//! what a script wants to do into the tools of an agent.
//!
//! | module | content |
//! |---|---|
//! | `scripted_server`, `http_request`, `http_reply` | the server: one thread per connection, HTTP/1.1, no other dependencies |
//! | `model_protocol` | which protocol a request uses |
//! | `anthropic_messages`, `openai_responses`, `openai_chat`, `gemini_content` | one file per protocol |
//! | `conversation`, `model_request`, `model_answer`, `model_script` | what a script sees and decides, whatever the protocol |
//! | `scripted_deed`, `tool_dialect` | what a script wants to do, and the tools of each agent |

mod anthropic_messages;
mod conversation;
mod gemini_content;
mod http_reply;
mod http_request;
mod model_answer;
mod model_protocol;
mod model_request;
mod model_script;
mod openai_chat;
mod openai_responses;
mod scripted_deed;
mod scripted_server;
mod tool_dialect;

pub use conversation::{ConversationEntry, ModelConversation};
pub use model_answer::{ModelAnswer, ScriptedCall, ToolInput};
pub use model_protocol::ModelProtocol;
pub use model_request::{ModelExchange, ModelRequest};
pub use model_script::ModelScript;
pub use scripted_deed::ScriptedDeed;
pub use scripted_server::ScriptedServer;
pub use tool_dialect::{ToolDialect, UnknownDialect};
