//! Failures of the command itself that say nothing of its work: a quota that is used up, a login that does not hold.

use loopbreak::Pattern;
use loopbreak::detectors::CustomName;

/// Words that programs fail with when a quota is used up or the service is overloaded, in lower case.
const QUOTA: &[&str] = &[
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

/// The same for a login.
const LOGIN: &[&str] = &[
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

/// How much of the end of an output is looked at: what a program dies of is the last thing it says.
const END: usize = 600;

/// What the command failed of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TransientFailure {
    Quota,
    Login,
}

impl TransientFailure {
    /// What a command that failed died of, if it is one of these.
    pub(crate) fn of(out: &str, err: &str) -> Option<Self> {
        let end = |text: &str| {
            let text = text.trim_end();
            text[text.floor_char_boundary(text.len().saturating_sub(END))..].to_lowercase()
        };
        let (out, err) = (end(out), end(err));
        let says = |words: &[&str]| words.iter().any(|word| out.contains(word) || err.contains(word));
        if says(LOGIN) {
            Some(TransientFailure::Login)
        } else if says(QUOTA) {
            Some(TransientFailure::Quota)
        } else {
            None
        }
    }

    /// How often in a row it is waited for. A login seldom mends itself.
    pub(crate) fn patience(self) -> u32 {
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
        assert_eq!(TransientFailure::of("", "Error: 429 Too Many Requests\n"), Some(TransientFailure::Quota));
        assert_eq!(
            TransientFailure::of("Invalid API key · Please run /login", ""),
            Some(TransientFailure::Login)
        );
        let long = format!("Error: 429 Too Many Requests{}1 failed", " é".repeat(END));
        assert_eq!(TransientFailure::of(&long, "error: test failed"), None);
        assert_eq!(
            TransientFailure::of("test the_rate_limit_holds ... FAILED", ""),
            None,
            "a limit that is worked on"
        );
    }
}
