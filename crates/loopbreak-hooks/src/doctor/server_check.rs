//! Is the service reached that hooks ask?

use std::time::{Duration, Instant};

use loopbreak_client::{ServerFailure, ServerLink};
use loopbreak_store::OutboxState;

use super::check_finding::CheckFinding;

/// Time for which a person waits for the answer of a service.
const PATIENCE: Duration = Duration::from_secs(5);

/// Asks the service, and says how long it took, for which project, and what waits to be sent. `state` is what the store knows about
/// it. Hooks work without the service, so nothing of this is a problem of the hook.
pub fn check_server(link: &ServerLink, state: Option<&OutboxState>) -> Vec<CheckFinding> {
    let (server, timeout) = (link.server(), link.options().timeout);
    let mut findings = vec![match link.client().greet(Instant::now() + PATIENCE) {
        Ok(greeting) => {
            let project = greeting.project.map(|name| format!(", project {name}")).unwrap_or_default();
            let text = format!("the service {server} answered in {} ms{project}", greeting.time.as_millis());
            if greeting.time > timeout {
                let advice = format!(
                    "hooks wait only {} ms for it: set server.timeout in your own configuration, or LOOPBREAK_SERVER_TIMEOUT",
                    timeout.as_millis()
                );
                CheckFinding::warning(text, advice)
            } else {
                CheckFinding::good(text)
            }
        }
        Err(failure) => CheckFinding::warning(
            format!("the service {server} does not help: {failure}; the local guard decides"),
            match failure {
                ServerFailure::Denied(_) => {
                    "make a token with `loopbreak token create --scope ingest` on the machine of the service"
                }
                ServerFailure::Untrusted(_) => {
                    "name the certificates of your authority with server.ca_file in your own configuration"
                }
                _ => "check the address in LOOPBREAK_SERVER or server.url, and whether the service runs",
            },
        ),
    }];
    findings.extend(
        state
            .and_then(describe_waiting)
            .map(|text| CheckFinding::warning(text, "`loopbreak hook flush` sends what waits")),
    );
    findings
}

/// Describes the steps that did not reach the service. `None` if all did.
fn describe_waiting(state: &OutboxState) -> Option<String> {
    let texts = state.describe();
    (!texts.is_empty()).then(|| texts.join("; "))
}
