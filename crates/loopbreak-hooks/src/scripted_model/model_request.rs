//! A request to a scripted model.

use serde_json::Value;

use super::{ModelAnswer, ModelConversation, ModelProtocol};

/// A request for an answer of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// The protocol of the request.
    pub protocol: ModelProtocol,
    /// The path and the query.
    pub path: String,
    /// The body as it was sent.
    pub body: Value,
    /// The body in a form that does not depend on the protocol.
    pub conversation: ModelConversation,
}

/// A request with the answer that was given.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelExchange {
    /// The request.
    pub request: ModelRequest,
    /// The answer.
    pub answer: ModelAnswer,
}
