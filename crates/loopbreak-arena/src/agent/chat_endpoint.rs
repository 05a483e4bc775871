//! A model behind an endpoint with the chat completions protocol of OpenAI, which most servers and routers support.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use loopbreak::Usage;

use super::api_key::ApiKey;
use super::chat_attempt::{ChatAttempt, ChatRequest, PromptMessage, ask};
use super::chat_limits::{ChatLimits, TokenPrices};
use super::trusted_roots::TrustedRoots;
use crate::agent_failure::{AgentFailure, FailureKind};
use crate::cancel_flag::CancelFlag;

/// Interval at which the cancel flag is checked.
const TICK: Duration = Duration::from_millis(50);

/// A model behind an endpoint.
#[derive(Clone, Debug)]
pub struct ChatEndpoint {
    agent: ureq::Agent,
    url: String,
    /// The part of the address that is shown: the path may contain a secret.
    host: String,
    model: String,
    key: Option<ApiKey>,
    temperature: Option<f64>,
    limits: ChatLimits,
    trusted: TrustedRoots,
    prices: TokenPrices,
    cancel: CancelFlag,
    spent: Usage,
}

impl ChatEndpoint {
    /// Creates an endpoint with a base address such as `https://example.com/v1`. Returns an error for an invalid
    /// address.
    pub fn new(base: &str, model: impl Into<String>) -> Result<Self, String> {
        let base = base.trim().trim_end_matches('/');
        let uri: ureq::http::Uri = base.parse().map_err(|_| "invalid address".to_owned())?;
        let (Some(scheme @ ("http" | "https")), Some(host)) = (uri.scheme_str(), uri.host()) else {
            return Err("the address must start with http:// or https://".to_owned());
        };
        if scheme == "https" && cfg!(not(feature = "https")) {
            return Err("this build does not support https:// addresses".to_owned());
        }
        let host = uri.port_u16().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let path = "/chat/completions";
        let url = if base.ends_with(path) { base.to_owned() } else { format!("{base}{path}") };
        let limits = ChatLimits::default();
        Ok(ChatEndpoint {
            agent: agent(limits.timeout, &TrustedRoots::default()),
            url,
            host,
            model: model.into(),
            key: None,
            temperature: None,
            limits,
            trusted: TrustedRoots::default(),
            prices: TokenPrices::default(),
            cancel: CancelFlag::default(),
            spent: Usage::default(),
        })
    }

    /// Sets the API key.
    #[must_use]
    pub fn key(mut self, key: Option<ApiKey>) -> Self {
        self.key = key;
        self
    }

    /// Sets the temperature.
    #[must_use]
    pub fn temperature(mut self, temperature: Option<f64>) -> Self {
        self.temperature = temperature;
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: ChatLimits) -> Self {
        self.agent = agent(limits.timeout, &self.trusted);
        self.limits = limits;
        self
    }

    /// Trusts the certificates in this PEM text, and those signed by them, instead of the well-known ones. Returns an
    /// error for invalid certificates.
    pub fn trust(mut self, certificates: &str) -> Result<Self, String> {
        self.trusted = TrustedRoots::read(certificates)?;
        self.agent = agent(self.limits.timeout, &self.trusted);
        Ok(self)
    }

    /// Sets the prices.
    #[must_use]
    pub fn prices(mut self, prices: TokenPrices) -> Self {
        self.prices = prices;
        self
    }

    /// Sets the flag that cancels waiting.
    #[must_use]
    pub fn cancel(mut self, cancel: CancelFlag) -> Self {
        self.cancel = cancel;
        self
    }

    /// Returns the name of the model.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns the usage since the last call of this method.
    pub(super) fn take_usage(&mut self) -> Usage {
        std::mem::take(&mut self.spent)
    }

    /// Sends a request, and retries after transient failures.
    pub(super) fn ask(&mut self, messages: &[PromptMessage]) -> Result<String, AgentFailure> {
        let max_tokens = Some(self.limits.max_tokens).filter(|tokens| *tokens > 0);
        let request = ChatRequest { model: &self.model, messages, temperature: self.temperature, max_tokens };
        let body = serde_json::to_string(&request)
            .map_err(|error| AgentFailure::new(FailureKind::Malformed, error.to_string()))?;
        let mut pause = self.limits.backoff;
        let mut retries = self.limits.retries;
        loop {
            let ChatAttempt { result, usage, pause: wanted } = self.attempt(body.clone());
            self.count(usage);
            let failure = match result {
                Ok(text) => return Ok(text),
                Err(failure) => failure,
            };
            let again = matches!(
                failure.kind,
                FailureKind::Timeout
                    | FailureKind::Unreachable
                    | FailureKind::RateLimited
                    | FailureKind::ServerError
            );
            if !again || retries == 0 || self.cancel.is_cancelled() {
                return Err(failure);
            }
            retries -= 1;
            self.rest(wanted.unwrap_or(pause).min(self.limits.longest_pause));
            pause = pause.saturating_mul(2);
        }
    }

    /// Sends one request on its own thread, so that a cancelled episode does not wait for the answer.
    fn attempt(&self, body: String) -> ChatAttempt {
        let (tell, told) = channel();
        let most = self.limits.answer_bytes;
        thread::spawn({
            let (agent, url, host, key) =
                (self.agent.clone(), self.url.clone(), self.host.clone(), self.key.clone());
            move || {
                // Fails only if the receiver has given up.
                let _ = tell.send(ask(&agent, (&url, &host), key.as_ref(), &body, most));
            }
        });
        let gone = |kind, why: &str| ChatAttempt {
            result: Err(AgentFailure::new(kind, format!("{} {why}", self.host))),
            usage: Usage::default(),
            pause: None,
        };
        loop {
            match told.recv_timeout(TICK) {
                Ok(attempt) => return attempt,
                Err(RecvTimeoutError::Timeout) if self.cancel.is_cancelled() => {
                    return gone(FailureKind::Timeout, "did not answer before the interruption");
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return gone(FailureKind::Unreachable, "could not be reached");
                }
            }
        }
    }

    /// Adds usage. A configured price takes precedence over the cost reported by the server.
    fn count(&mut self, usage: Usage) {
        let cost = self.prices.cost(&usage).or(usage.cost_usd);
        let add = |sum: &mut Option<u64>, more: Option<u64>| {
            if let Some(more) = more {
                *sum = Some(sum.unwrap_or_default().saturating_add(more));
            }
        };
        add(&mut self.spent.input_tokens, usage.input_tokens);
        add(&mut self.spent.output_tokens, usage.output_tokens);
        if let Some(cost) = cost {
            self.spent.cost_usd = Some(self.spent.cost_usd.unwrap_or_default() + cost);
        }
    }

    /// Waits, unless cancelled.
    fn rest(&self, time: Duration) {
        let mut left = time;
        while !left.is_zero() && !self.cancel.is_cancelled() {
            let tick = left.min(TICK);
            thread::sleep(tick);
            left -= tick;
        }
    }
}

fn agent(timeout: Duration, trusted: &TrustedRoots) -> ureq::Agent {
    trusted
        .apply(ureq::Agent::config_builder())
        .timeout_global(Some(timeout))
        // A key must not be sent to the target of a redirect.
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .user_agent(concat!("loopbreak/", env!("CARGO_PKG_VERSION")))
        .build()
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_invalid_addresses() {
        for (base, url) in [
            ("http://localhost:8080/v1", "http://localhost:8080/v1/chat/completions"),
            ("http://localhost:8080/v1/", "http://localhost:8080/v1/chat/completions"),
            ("http://localhost/v1/chat/completions", "http://localhost/v1/chat/completions"),
        ] {
            assert_eq!(ChatEndpoint::new(base, "m").unwrap().url, url);
        }
        for wrong in ["", "localhost", "ftp://localhost/v1", "http://", "not an address"] {
            assert!(ChatEndpoint::new(wrong, "m").is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_key_is_not_shown() {
        let chat =
            ChatEndpoint::new("http://localhost/v1", "m").unwrap().key(Some(ApiKey::new("sk-topsecret")));
        assert!(!format!("{chat:?}").contains("topsecret"));
    }
}
