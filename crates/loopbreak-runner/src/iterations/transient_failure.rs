//! Failures of the command that say nothing about its work: an exhausted quota, an invalid login.

use loopbreak::Pattern;
use loopbreak::detectors::CustomName;

/// Messages of programs when a quota is exhausted or the service is overloaded, in lower case.
const QUOTA_MESSAGES: &[&str] = &[
    "rate limit exceeded",
    "rate limit reached",
    "rate_limit_error",
    "rate_limit_exceeded",
    "ratelimiterror",
    "usage limit reached",
    "hit your usage limit",
    "quota exceeded",
    "exceeded your current quota",
    "insufficient_quota",
    "resource_exhausted",
    "resource exhausted",
    "too many requests",
    "overloaded_error",
    "credit balance is too low",
];

/// Messages of programs when a login is invalid, in lower case.
const LOGIN_MESSAGES: &[&str] = &[
    "authentication_error",
    "invalid api key",
    "invalid_api_key",
    "incorrect api key",
    "invalid x-api-key",
    "oauth token has expired",
    "please run /login",
    "not logged in",
    "401 unauthorized",
];

/// The number of bytes at the end of an output that are searched: the cause of a failure is printed last.
const TAIL_BYTES: usize = 600;

/// The cause of a transient failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransientFailure {
    Quota,
    Login,
}

impl TransientFailure {
    /// Returns the cause of a failure, if it is one of these.
    pub(crate) fn from_output(out: &str, err: &str) -> Option<Self> {
        let tail = |text: &str| {
            let text = text.trim_end();
            text[text.floor_char_boundary(text.len().saturating_sub(TAIL_BYTES))..].to_lowercase()
        };
        let (out, err) = (tail(out), tail(err));
        let contains_any = |words: &[&str]| words.iter().any(|word| out.contains(word) || err.contains(word));
        if contains_any(LOGIN_MESSAGES) {
            Some(TransientFailure::Login)
        } else if contains_any(QUOTA_MESSAGES) {
            Some(TransientFailure::Quota)
        } else {
            None
        }
    }

    /// Returns the number of waits in a row. An invalid login seldom becomes valid without help.
    pub(crate) fn max_waits(self) -> u32 {
        match self {
            TransientFailure::Quota => 8,
            TransientFailure::Login => 1,
        }
    }

    pub(crate) fn pattern(self) -> Pattern {
        const QUOTA: CustomName = CustomName::from_static("quota");
        const AUTHENTICATION: CustomName = CustomName::from_static("authentication");
        Pattern::Custom(match self {
            TransientFailure::Quota => QUOTA,
            TransientFailure::Login => AUTHENTICATION,
        })
    }

    pub(crate) fn reason(self) -> &'static str {
        match self {
            TransientFailure::Quota => "the command's quota is used up",
            TransientFailure::Login => "the command is not logged in",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_end_of_an_output_counts() {
        assert_eq!(
            TransientFailure::from_output("", "Error: 429 Too Many Requests\n"),
            Some(TransientFailure::Quota)
        );
        assert_eq!(
            TransientFailure::from_output("Invalid API key · Please run /login", ""),
            Some(TransientFailure::Login)
        );
        let long = format!("Error: 429 Too Many Requests{}1 failed", " é".repeat(TAIL_BYTES));
        assert_eq!(TransientFailure::from_output(&long, "error: test failed"), None);
        assert_eq!(
            TransientFailure::from_output("test the_rate_limit_holds ... FAILED", ""),
            None,
            "a test about a limit"
        );
    }
}
