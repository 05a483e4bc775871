//! The reasons why a service did not answer a request.

use std::time::Duration;

use loopbreak_store::ServerBackoff;

/// Shortest and longest time for which a service that failed is not asked.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// The same for a service that answers, and cannot take more now.
const BUSY_PAUSE: Duration = Duration::from_secs(1);

/// The reason why a service did not answer a request. Its texts can be shown to people.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServerFailure {
    /// There was no answer in time.
    #[error("it gave no answer in time")]
    Late,
    /// It cannot be reached.
    #[error("it cannot be reached: {0}")]
    Unreachable(String),
    /// Its certificate is not trusted.
    #[error("it is not trusted: {0}")]
    Untrusted(String),
    /// It does not accept the token.
    #[error("it does not accept the token: {0}")]
    Denied(String),
    /// It cannot use this request. Sending it again does not help.
    #[error("it cannot use the request: {0}")]
    Refused(String),
    /// It can take no requests now.
    #[error("it can take no requests now: {message}")]
    Busy {
        /// Its message.
        message: String,
        /// Time after which it can be asked again.
        retry_after: Option<Duration>,
    },
    /// It does not answer like a Loopbreak service.
    #[error("it does not answer like a Loopbreak service: {0}")]
    Malformed(String),
}

impl ServerFailure {
    /// Returns whether somebody has to change something before the service can be asked. Others pass by themselves.
    pub fn needs_attention(&self) -> bool {
        matches!(self, ServerFailure::Untrusted(_) | ServerFailure::Denied(_) | ServerFailure::Malformed(_))
    }

    /// Returns the time until which the service is not asked after this failure.
    pub(crate) fn backoff(&self, before: &ServerBackoff, now: i64) -> ServerBackoff {
        let failures = before.failures.saturating_add(1);
        let doubled = |first: Duration| first.saturating_mul(1 << (failures - 1).min(10));
        let pause = match self {
            ServerFailure::Denied(_) => LONGEST_PAUSE,
            ServerFailure::Busy { retry_after, .. } => {
                retry_after.unwrap_or_default().max(doubled(BUSY_PAUSE))
            }
            _ => doubled(FIRST_PAUSE),
        };
        let pause = pause.min(LONGEST_PAUSE).as_millis() as i64;
        ServerBackoff { failures, retry_at: now.saturating_add(pause), last_failure: self.to_string() }
    }
}

/// Returns whether a service is not to be asked. A time that is far ahead is not believed: the clock was wrong.
pub(crate) fn is_paused(backoff: &ServerBackoff, now: i64) -> bool {
    let left = backoff.retry_at.saturating_sub(now);
    backoff.failures > 0 && left > 0 && left <= LONGEST_PAUSE.as_millis() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_that_fails_again_and_again_is_asked_once_a_minute() {
        let mut backoff = ServerBackoff::default();
        let pauses: Vec<i64> = (0..6)
            .map(|_| {
                backoff = ServerFailure::Late.backoff(&backoff, 1_000);
                backoff.retry_at - 1_000
            })
            .collect();
        assert_eq!(pauses, [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
        assert!(is_paused(&backoff, 1_000) && !is_paused(&backoff, 61_000));
        assert!(!is_paused(&backoff, -1_000_000), "the clock was ahead");
        let denied = ServerFailure::Denied(String::new()).backoff(&ServerBackoff::default(), 0);
        assert_eq!(denied.retry_at, 60_000);
        let retry_after = Some(Duration::from_secs(3));
        let busy = ServerFailure::Busy { message: String::new(), retry_after };
        assert_eq!(busy.backoff(&ServerBackoff::default(), 0).retry_at, 3_000);
        let retry_after = Some(Duration::from_hours(9));
        let busy = ServerFailure::Busy { message: String::new(), retry_after };
        assert_eq!(busy.backoff(&ServerBackoff::default(), 0).retry_at, 60_000);
    }
}
