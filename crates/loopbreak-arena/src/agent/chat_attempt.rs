//! One request to a chat endpoint, and its answer.

use std::time::Duration;

use loopbreak::Usage;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::api_key::ApiKey;
use crate::agent_failure::{AgentFailure, FailureKind};
use crate::game_text;

/// Maximum number of characters of a server message in an error.
const TOLD: usize = 200;

/// A message of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct PromptMessage {
    pub(super) role: &'static str,
    pub(super) content: String,
}

/// The body of a request.
#[derive(Serialize)]
pub(super) struct ChatRequest<'r> {
    pub(super) model: &'r str,
    pub(super) messages: &'r [PromptMessage],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<u32>,
}

/// The result of one attempt.
#[derive(Debug)]
pub(super) struct ChatAttempt {
    pub(super) result: Result<String, AgentFailure>,
    /// Tokens and cost, if the endpoint reports them.
    pub(super) usage: Usage,
    /// Time that the server asks to wait.
    pub(super) pause: Option<Duration>,
}

impl ChatAttempt {
    fn failed(kind: FailureKind, message: impl Into<String>) -> Self {
        ChatAttempt { result: Err(AgentFailure::new(kind, message)), usage: Usage::default(), pause: None }
    }
}

/// Sends one request.
pub(super) fn ask(
    agent: &ureq::Agent,
    (url, host): (&str, &str),
    key: Option<&ApiKey>,
    body: &str,
    most: u64,
) -> ChatAttempt {
    let mut request = agent.post(url).header("content-type", "application/json");
    if let Some(key) = key {
        request = request.header("authorization", key.header());
    }
    let mut response = match request.send(body) {
        Ok(response) => response,
        Err(error) => return broken(&error, host),
    };
    let status = response.status();
    let seconds = response.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
    let text = match response.body_mut().with_config().limit(most).lossy_utf8(true).read_to_string() {
        Ok(text) => text,
        Err(ureq::Error::BodyExceedsLimit(_)) => {
            let message = format!("{host} answered with more than {most} bytes");
            return ChatAttempt::failed(FailureKind::TooLarge, message);
        }
        Err(error) => return broken(&error, host),
    };
    let hide = |text: &str| {
        let text = key.map_or_else(|| text.to_owned(), |key| key.hide_in(text));
        loopbreak::text::mask_secrets(&game_text::one_line(&text, TOLD)).into_owned()
    };
    let mut attempt =
        if status.is_success() { read(&text, host, &hide) } else { refused(status, &text, host, &hide) };
    attempt.pause = seconds.map(Duration::from_secs);
    attempt
}

/// Describes a failed connection. Messages of the library may contain the whole address, so they are not used.
fn broken(error: &ureq::Error, host: &str) -> ChatAttempt {
    let (kind, why) = match error {
        ureq::Error::Timeout(_) => (FailureKind::Timeout, "gave no answer in time".to_owned()),
        ureq::Error::HostNotFound => (FailureKind::Unreachable, "cannot be resolved".to_owned()),
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => {
            (FailureKind::Timeout, "gave no answer in time".to_owned())
        }
        ureq::Error::Io(error) => match distrust(&error.to_string()) {
            Some(why) => (FailureKind::Denied, format!("is not trusted: {why}")),
            None => (FailureKind::Unreachable, format!("cannot be reached: {error}")),
        },
        ureq::Error::Protocol(_) | ureq::Error::Http(_) => {
            (FailureKind::Malformed, "does not speak HTTP".to_owned())
        }
        _ => (FailureKind::Unreachable, "cannot be reached".to_owned()),
    };
    ChatAttempt::failed(kind, format!("{host} {why}"))
}

/// Returns why the certificate of an endpoint is rejected, if this is such an error.
fn distrust(error: &str) -> Option<String> {
    let why = error.strip_prefix("invalid peer certificate: ")?;
    Some(match why {
        "UnknownIssuer" => "its certificate is not signed by a trusted authority".to_owned(),
        _ if why.starts_with("certificate not valid for name") => {
            "its certificate is for another name".to_owned()
        }
        _ => format!("its certificate is invalid: {why}"),
    })
}

/// Describes an HTTP status other than success.
fn refused(
    status: ureq::http::StatusCode,
    text: &str,
    host: &str,
    hide: &dyn Fn(&str) -> String,
) -> ChatAttempt {
    let kind = match status.as_u16() {
        408 => FailureKind::Timeout,
        429 => FailureKind::RateLimited,
        500..=599 => FailureKind::ServerError,
        _ => FailureKind::Denied,
    };
    let said = serde_json::from_str::<Value>(text).ok().and_then(|value| error_of(&value));
    let said = said.unwrap_or_else(|| text.to_owned());
    let said = if said.trim().is_empty() { String::new() } else { format!(": {}", hide(&said)) };
    ChatAttempt::failed(kind, format!("{host} answered {status}{said}"))
}

/// Returns the error message in a body, if any.
fn error_of(value: &Value) -> Option<String> {
    match value.get("error")? {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        error => Some(
            error.get("message").and_then(Value::as_str).map_or_else(|| error.to_string(), str::to_owned),
        ),
    }
}

/// The parts of an answer that matter.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ChatAnswer {
    choices: Vec<ChatChoice>,
    usage: Option<ChatUsage>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ChatChoice {
    message: Option<ChatReply>,
    finish_reason: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ChatReply {
    content: Option<Value>,
    refusal: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ChatUsage {
    #[serde(rename = "prompt_tokens")]
    read: Option<u64>,
    #[serde(rename = "completion_tokens")]
    written: Option<u64>,
    /// Some routers report the cost.
    cost: Option<f64>,
}

fn read(text: &str, host: &str, hide: &dyn Fn(&str) -> String) -> ChatAttempt {
    let malformed =
        |why: &str| ChatAttempt::failed(FailureKind::Malformed, format!("{host} answered with {why}"));
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return malformed(&format!("text that is not JSON: {}", hide(text)));
    };
    if let Some(error) = error_of(&value) {
        return ChatAttempt::failed(FailureKind::ServerError, format!("{host} says: {}", hide(&error)));
    }
    let Ok(answer) = serde_json::from_value::<ChatAnswer>(value) else {
        return malformed(&format!("unexpected JSON: {}", hide(text)));
    };
    let counted = answer.usage.unwrap_or_default();
    let usage = Usage {
        input_tokens: counted.read,
        output_tokens: counted.written,
        cost_usd: counted.cost.filter(|cost| cost.is_finite() && *cost >= 0.0),
        ..Usage::default()
    };
    let result = match answer.choices.into_iter().next() {
        None => Err(AgentFailure::new(FailureKind::Malformed, format!("{host} answered without a choice"))),
        Some(choice) => content(choice, host, hide),
    };
    ChatAttempt { result, usage, pause: None }
}

/// Returns the text of the model.
fn content(choice: ChatChoice, host: &str, hide: &dyn Fn(&str) -> String) -> Result<String, AgentFailure> {
    let said = choice.message.unwrap_or_default();
    if let Some(refusal) = said.refusal.filter(|refusal| !refusal.trim().is_empty()) {
        return Err(AgentFailure::new(
            FailureKind::Refusal,
            format!("the model refuses: {}", hide(&refusal)),
        ));
    }
    let text = match said.content {
        Some(Value::String(text)) => text,
        // Some services return a list of parts.
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(|part| part.get("text")?.as_str()).collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    };
    if !text.trim().is_empty() {
        return Ok(text);
    }
    match choice.finish_reason.as_deref() {
        Some("content_filter") => {
            Err(AgentFailure::new(FailureKind::Refusal, format!("{host} filtered the answer out")))
        }
        Some("length") => Err(AgentFailure::new(
            FailureKind::Empty,
            "the model used all its tokens before it answered".to_owned(),
        )),
        _ => Err(AgentFailure::new(FailureKind::Empty, "the answer of the model is empty".to_owned())),
    }
}
