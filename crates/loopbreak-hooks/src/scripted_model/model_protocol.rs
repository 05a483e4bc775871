//! The protocols of the model providers.

use serde_json::{Value, json};

use super::http_reply::HttpReply;
use super::{
    ModelAnswer, ModelConversation, anthropic_messages, gemini_content, openai_chat, openai_responses,
};

/// A protocol in which an agent talks to its model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ModelProtocol {
    /// Messages of Anthropic.
    AnthropicMessages,
    /// Responses of OpenAI.
    OpenAiResponses,
    /// Chat completions of OpenAI, which many providers offer.
    OpenAiChat,
    /// Generated content of Gemini.
    GeminiContent,
}

/// The thing that is asked for with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ModelEndpoint {
    /// The next answer of the model.
    Answer(ModelProtocol),
    /// The number of tokens of a conversation.
    TokenCount(ModelProtocol),
}

impl ModelEndpoint {
    /// Finds the endpoint of a path with its query.
    pub(super) fn find(path: &str) -> Option<Self> {
        let path = path.split('?').next().unwrap_or_default().trim_end_matches('/');
        let endings = [
            ("/messages", ModelEndpoint::Answer(ModelProtocol::AnthropicMessages)),
            ("/messages/count_tokens", ModelEndpoint::TokenCount(ModelProtocol::AnthropicMessages)),
            ("/responses", ModelEndpoint::Answer(ModelProtocol::OpenAiResponses)),
            ("/chat/completions", ModelEndpoint::Answer(ModelProtocol::OpenAiChat)),
            (":generateContent", ModelEndpoint::Answer(ModelProtocol::GeminiContent)),
            (":streamGenerateContent", ModelEndpoint::Answer(ModelProtocol::GeminiContent)),
            (":countTokens", ModelEndpoint::TokenCount(ModelProtocol::GeminiContent)),
        ];
        endings.into_iter().find(|(ending, _)| path.ends_with(ending)).map(|(_, endpoint)| endpoint)
    }
}

impl ModelProtocol {
    /// Parses the body of a request.
    pub(super) fn parse(self, body: &Value) -> ModelConversation {
        match self {
            ModelProtocol::AnthropicMessages => anthropic_messages::parse(body),
            ModelProtocol::OpenAiResponses => openai_responses::parse(body),
            ModelProtocol::OpenAiChat => openai_chat::parse(body),
            ModelProtocol::GeminiContent => gemini_content::parse(body),
        }
    }

    /// Renders an answer, as a stream of events if the request asks for one. The number of the answer makes the ids of
    /// calls unique.
    pub(super) fn render(self, path: &str, body: &Value, answer: &ModelAnswer, number: usize) -> HttpReply {
        let streams = match self {
            ModelProtocol::GeminiContent => path.contains(":streamGenerateContent"),
            _ => body.get("stream").and_then(Value::as_bool).unwrap_or_default(),
        };
        let model = body.get("model").and_then(Value::as_str).unwrap_or("scripted");
        match (self, streams) {
            (ModelProtocol::AnthropicMessages, true) => anthropic_messages::stream(model, answer, number),
            (ModelProtocol::AnthropicMessages, false) => {
                HttpReply::Json(anthropic_messages::message(model, answer, number))
            }
            (ModelProtocol::OpenAiResponses, true) => openai_responses::stream(model, answer, number),
            (ModelProtocol::OpenAiResponses, false) => {
                HttpReply::Json(openai_responses::response(model, answer, number))
            }
            (ModelProtocol::OpenAiChat, true) => openai_chat::stream(model, answer, number),
            (ModelProtocol::OpenAiChat, false) => {
                HttpReply::Json(openai_chat::completion(model, answer, number))
            }
            (ModelProtocol::GeminiContent, true) => gemini_content::stream(answer, number),
            (ModelProtocol::GeminiContent, false) => HttpReply::Json(gemini_content::content(answer, number)),
        }
    }

    /// Renders the number of tokens of a conversation.
    pub(super) fn render_token_count(self, tokens: u64) -> HttpReply {
        HttpReply::Json(match self {
            ModelProtocol::GeminiContent => json!({ "totalTokens": tokens }),
            _ => json!({ "input_tokens": tokens }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_found_by_the_end_of_its_path() {
        for (path, endpoint) in [
            ("/v1/messages?beta=true", Some(ModelEndpoint::Answer(ModelProtocol::AnthropicMessages))),
            (
                "/v1/messages/count_tokens?beta=true",
                Some(ModelEndpoint::TokenCount(ModelProtocol::AnthropicMessages)),
            ),
            ("/v1/responses", Some(ModelEndpoint::Answer(ModelProtocol::OpenAiResponses))),
            ("/v1/chat/completions", Some(ModelEndpoint::Answer(ModelProtocol::OpenAiChat))),
            (
                "/v1beta/models/some-model:streamGenerateContent?alt=sse",
                Some(ModelEndpoint::Answer(ModelProtocol::GeminiContent)),
            ),
            (
                "/v1beta/models/some-model:countTokens",
                Some(ModelEndpoint::TokenCount(ModelProtocol::GeminiContent)),
            ),
            ("/v1/models", None),
            ("/", None),
        ] {
            assert_eq!(ModelEndpoint::find(path), endpoint, "{path}");
        }
    }
}
