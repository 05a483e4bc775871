//! Requests to a service.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use loopbreak_store::UnsentStep;
use serde_json::Value;
use ureq::http::{HeaderMap, StatusCode};

use crate::foreign_text::{foreign_text, foreign_value};
use crate::server_certificates::trust_only;
use crate::server_failure::ServerFailure;
use crate::server_options::{ServerOptions, ServerOptionsError};
use crate::server_secret::ServerSecret;
use crate::server_verdict::{ServerRuling, ServerVerdict};

/// Largest answer that is read, in bytes.
const ANSWER_BYTES: u64 = 4 * 1024 * 1024;
/// Largest head of an answer, in bytes.
const HEAD_BYTES: usize = 16 * 1024;
/// Longest part of a message of the service that is shown, in bytes.
const MESSAGE_BYTES: usize = 200;
/// Header with the project that a request was about.
const PROJECT_HEADER: &str = "loopbreak-project";
/// Run that the doctor asks about. Nothing is recorded of it.
const PROBE_RUN: &str = "loopbreak-doctor";

/// Makes requests to one service. Redirects are not followed, so that the token goes nowhere else.
#[derive(Clone, Debug)]
pub struct ServerClient {
    options: ServerOptions,
    agent: ureq::Agent,
}

/// The answer of a service that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ServerGreeting {
    /// The project of the token, if the service tells it.
    pub project: Option<String>,
    /// Time until the answer.
    pub time: Duration,
}

/// An answer with the status of success.
struct JsonAnswer {
    head: HeaderMap,
    body: Value,
}

impl ServerClient {
    /// Creates a client. Nothing is sent.
    pub fn new(options: ServerOptions) -> Result<Self, ServerOptionsError> {
        let mut config = ureq::Agent::config_builder()
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .https_only(options.address.is_https())
            .max_response_header_size(HEAD_BYTES)
            .user_agent(concat!("loopbreak/", env!("CARGO_PKG_VERSION")));
        if options.address.is_loopback() {
            config = config.proxy(None);
        }
        if let Some(file) = &options.ca_file {
            config = trust_only(config, file).map_err(ServerOptionsError::Certificates)?;
        }
        Ok(ServerClient { agent: config.build().into(), options })
    }

    /// Returns the service.
    pub fn options(&self) -> &ServerOptions {
        &self.options
    }

    /// Asks for an answer that changes nothing, to see whether the service is there and accepts the token.
    pub fn greet(&self, deadline: Instant) -> Result<ServerGreeting, ServerFailure> {
        let started = Instant::now();
        let body = serde_json::json!({"run": PROBE_RUN, "action": "loopbreak hook doctor"});
        let answer = self.post("/v1/weigh", "application/json", body.to_string(), deadline)?;
        ServerRuling::read(answer.body)?;
        let project = answer.head.get(PROJECT_HEADER).and_then(|value| value.to_str().ok());
        Ok(ServerGreeting {
            project: project.map(|name| foreign_text(name, MESSAGE_BYTES)),
            time: started.elapsed(),
        })
    }

    /// Sends steps, and returns the answers in the same order.
    pub fn send(&self, steps: &[UnsentStep], deadline: Instant) -> Result<Vec<ServerVerdict>, ServerFailure> {
        let lines = steps.iter().map(|step| step.step.as_str()).collect::<Vec<_>>().join(",");
        let answer = self.post("/v1/steps", "application/json", format!("[{lines}]"), deadline)?;
        let Value::Array(answers) = answer.body else {
            return Err(ServerFailure::Malformed("its answer is not a list".to_owned()));
        };
        if answers.len() != steps.len() {
            let message = format!("{} answers to {} steps", answers.len(), steps.len());
            return Err(ServerFailure::Malformed(message));
        }
        answers.into_iter().map(ServerVerdict::read).collect()
    }

    /// Asks whether to take an action. `proposal` is the body of the request.
    pub fn weigh(&self, proposal: &Value, deadline: Instant) -> Result<ServerRuling, ServerFailure> {
        let answer = self.post("/v1/weigh", "application/json", proposal.to_string(), deadline)?;
        ServerRuling::read(answer.body)
    }

    /// Makes another call of the API, and returns its answer with bounded texts.
    pub fn call(&self, path: &str, body: &Value, deadline: Instant) -> Result<Value, ServerFailure> {
        let answer = self.post(path, "application/json", body.to_string(), deadline)?;
        Ok(foreign_value(answer.body))
    }

    /// Sends a request on a thread of its own: whatever the network, a resolver or the library waits for, this returns in time.
    fn post(
        &self,
        path: &str,
        content_type: &'static str,
        body: String,
        deadline: Instant,
    ) -> Result<JsonAnswer, ServerFailure> {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(ServerFailure::Late);
        }
        let (agent, url, secret) =
            (self.agent.clone(), self.options.address.call(path), self.options.secret.clone());
        let (done, answered) = mpsc::channel();
        let started = thread::Builder::new().name("server-request".to_owned()).spawn(move || {
            let _ = done.send(request(&agent, &url, secret.as_ref(), content_type, &body, left));
        });
        if let Err(error) = started {
            return Err(ServerFailure::Unreachable(error.to_string()));
        }
        answered.recv_timeout(left).unwrap_or(Err(ServerFailure::Late))
    }
}

fn request(
    agent: &ureq::Agent,
    url: &str,
    secret: Option<&ServerSecret>,
    content_type: &str,
    body: &str,
    time: Duration,
) -> Result<JsonAnswer, ServerFailure> {
    let mut request = agent.post(url).config().timeout_global(Some(time)).build();
    request = request.header("content-type", content_type);
    if let Some(secret) = secret {
        request = request.header("authorization", secret.header());
    }
    let mut response = request.send(body).map_err(|error| broken(&error))?;
    let status = response.status();
    let text = response.body_mut().with_config().limit(ANSWER_BYTES).lossy_utf8(true).read_to_string();
    let text = text.map_err(|error| broken(&error))?;
    let head = response.headers().clone();
    if !status.is_success() {
        return Err(refused(status, &head, &text, secret));
    }
    let body = serde_json::from_str(&text)
        .map_err(|_| ServerFailure::Malformed("its answer is not JSON".to_owned()))?;
    Ok(JsonAnswer { head, body })
}

/// Describes a failed connection. Messages of the library may contain the whole address, so they are not used.
fn broken(error: &ureq::Error) -> ServerFailure {
    match error {
        ureq::Error::Timeout(_) => ServerFailure::Late,
        ureq::Error::HostNotFound => ServerFailure::Unreachable("its name cannot be resolved".to_owned()),
        ureq::Error::Io(error) if error.kind() == std::io::ErrorKind::TimedOut => ServerFailure::Late,
        ureq::Error::Io(error) => match error.to_string().strip_prefix("invalid peer certificate: ") {
            Some("UnknownIssuer") => {
                ServerFailure::Untrusted("its certificate is not signed by a trusted authority".to_owned())
            }
            // A certificate that signs itself is often made with the rights of an authority.
            Some(why) if why.contains("CaUsedAsEndEntity") => ServerFailure::Untrusted(
                "its certificate is that of an authority; make one with basicConstraints=CA:FALSE".to_owned(),
            ),
            Some(why) => {
                ServerFailure::Untrusted(format!("its certificate is invalid: {}", foreign_text(why, 100)))
            }
            None => ServerFailure::Unreachable(foreign_text(&error.to_string(), MESSAGE_BYTES)),
        },
        ureq::Error::BodyExceedsLimit(_) => {
            ServerFailure::Malformed(format!("its answer has more than {ANSWER_BYTES} bytes"))
        }
        ureq::Error::Protocol(_) | ureq::Error::Http(_) | ureq::Error::LargeResponseHeader(..) => {
            ServerFailure::Malformed("it does not speak HTTP as expected".to_owned())
        }
        _ => ServerFailure::Unreachable("the connection failed".to_owned()),
    }
}

/// Describes a status other than success.
fn refused(status: StatusCode, head: &HeaderMap, text: &str, secret: Option<&ServerSecret>) -> ServerFailure {
    let body: Option<Value> = serde_json::from_str(text).ok();
    let said = body.as_ref().and_then(|body| body["error"]["message"].as_str());
    let message = match said {
        Some(said) => {
            let said = secret.map_or_else(|| said.to_owned(), |secret| secret.hide_in(said));
            format!("{} ({})", foreign_text(&said, MESSAGE_BYTES), status.as_u16())
        }
        None => format!("status {}", status.as_u16()),
    };
    let seconds = head.get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
    match status.as_u16() {
        401 | 403 => ServerFailure::Denied(message),
        // Only the service itself refuses a step for good, and not something in front of it.
        400 | 413 | 422 if said.is_some() => ServerFailure::Refused(message),
        408 | 429 | 500..=599 => {
            ServerFailure::Busy { message, retry_after: seconds.map(Duration::from_secs) }
        }
        300..=399 => ServerFailure::Malformed(format!("it redirects elsewhere, with {message}")),
        _ => ServerFailure::Malformed(message),
    }
}
