//! The token that clients over HTTP have to send.

use std::fmt;

use hyper::HeaderMap;
use hyper::header::AUTHORIZATION;
use subtle::ConstantTimeEq as _;

/// Shortest token, in characters. Shorter ones can be guessed.
const MIN_LENGTH: usize = 16;

/// A token. It is never printed, except by who asks for it with [`BearerToken::expose`].
#[derive(Clone)]
pub struct BearerToken(String);

impl BearerToken {
    /// Reads a token from a text and ignores white space around it. Returns a message if the token is
    /// invalid.
    pub fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.len() < MIN_LENGTH {
            return Err(format!("a token needs at least {MIN_LENGTH} characters"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("a token may contain only visible ASCII characters and no spaces".to_owned());
        }
        Ok(BearerToken(text.to_owned()))
    }

    /// Returns the token itself, for the user who asks for it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns whether a request has the token. The time it takes reveals only the length of the token.
    pub(crate) fn is_in(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given
            .and_then(|value| value.split_once(' '))
            .filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer"));
        given.is_some_and(|(_, token)| token.trim().as_bytes().ct_eq(self.0.as_bytes()).into())
    }
}

impl fmt::Debug for BearerToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BearerToken")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(header: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, header.parse().unwrap());
        BearerToken::new("0123456789abcdef\n").unwrap().is_in(&headers)
    }

    #[test]
    fn only_the_complete_token_is_accepted() {
        assert!(accepts("Bearer 0123456789abcdef") && accepts("bearer  0123456789abcdef "));
        for header in [
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdeg",
            "Basic 0123456789abcdef",
            "0123456789abcdef",
            "",
        ] {
            assert!(!accepts(header), "{header}");
        }
        assert!(!BearerToken::new("0123456789abcdef").unwrap().is_in(&HeaderMap::new()));
    }

    #[test]
    fn short_tokens_are_refused_and_tokens_are_never_printed() {
        assert!(BearerToken::new("short").is_err() && BearerToken::new("with space 012345678").is_err());
        assert_eq!(format!("{:?}", BearerToken::new("0123456789abcdef").unwrap()), "BearerToken");
    }
}
