//! Limits the steps and requests of each token, so that one client cannot keep the others waiting.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::api_error::ApiError;

/// Largest number of tokens whose use is remembered.
const MAX_TOKENS: usize = 10_000;
/// Time over which a client may gather what it did not use.
const BURST_SECONDS: f64 = 5.0;

/// The limits of all tokens. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct RateLimits {
    /// Number of steps and requests per second.
    rate: f64,
    used: Arc<Mutex<BTreeMap<String, TokenUse>>>,
}

/// The rest that a token may still use.
#[derive(Debug)]
struct TokenUse {
    left: f64,
    at: Instant,
}

impl RateLimits {
    /// Creates limits of this many steps and requests per second and token.
    pub(crate) fn new(rate: u32) -> Self {
        RateLimits { rate: f64::from(rate.max(1)), used: Arc::default() }
    }

    /// Takes a number of steps or requests. A large one is let pass if nothing was used before it, and paid off afterwards.
    pub(super) fn take(&self, token: &str, count: usize) -> Result<(), ApiError> {
        let most = self.rate * BURST_SECONDS;
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.len() >= MAX_TOKENS && !used.contains_key(token) {
            used.retain(|_, token| token.at.elapsed().as_secs_f64() * self.rate < most);
        }
        let now = Instant::now();
        let token = used.entry(token.to_owned()).or_insert(TokenUse { left: most, at: now });
        let since = now.saturating_duration_since(token.at).as_secs_f64();
        token.left = (token.left + since * self.rate).min(most);
        token.at = now;
        if token.left < (count as f64).min(most) {
            let missing = ((count as f64).min(most) - token.left) / self.rate;
            return Err(ApiError::too_many(
                "The token has used up its number of steps and requests",
                Duration::from_secs_f64(missing.max(1.0)),
            ));
        }
        token.left -= count as f64;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_that_asks_too_much_waits_and_others_do_not() {
        let limits = RateLimits::new(10);
        assert!(limits.take("a", 50).is_ok(), "five seconds may come at once");
        assert!(limits.take("a", 1).is_err());
        assert!(limits.take("b", 1).is_ok());
        std::thread::sleep(Duration::from_millis(250));
        assert!(limits.take("a", 2).is_ok() && limits.take("a", 20).is_err());
    }

    #[test]
    fn a_request_that_is_larger_than_the_limit_is_let_pass_and_paid_off() {
        let limits = RateLimits::new(10);
        assert!(limits.take("a", 1000).is_ok());
        std::thread::sleep(Duration::from_millis(250));
        assert!(limits.take("a", 1).is_err());
    }
}
