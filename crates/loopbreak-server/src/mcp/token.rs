//! The secret that clients over HTTP have to know.

use std::fmt;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use subtle::ConstantTimeEq as _;

/// The fewest letters of a token: shorter ones can be guessed.
const SHORTEST: usize = 16;

/// A token. It is never shown.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// The token in a text, without the white space around it; or what is wrong with it.
    pub fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.len() < SHORTEST {
            return Err(format!("a token has at least {SHORTEST} letters"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("a token has only visible letters, and no space".to_owned());
        }
        Ok(Token(text.to_owned()))
    }

    /// Whether a request knows it. How long that takes tells nothing about it but its length.
    pub(crate) fn is_in(&self, headers: &HeaderMap) -> bool {
        let given = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let given = given
            .and_then(|value| value.split_once(' '))
            .filter(|(kind, _)| kind.eq_ignore_ascii_case("bearer"));
        given.is_some_and(|(_, token)| token.trim().as_bytes().ct_eq(self.0.as_bytes()).into())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn knows(header: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, header.parse().unwrap());
        Token::new("0123456789abcdef\n").unwrap().is_in(&headers)
    }

    #[test]
    fn only_the_whole_token_is_known() {
        assert!(knows("Bearer 0123456789abcdef") && knows("bearer  0123456789abcdef "));
        for header in [
            "Bearer 0123456789abcde",
            "Bearer 0123456789abcdeg",
            "Basic 0123456789abcdef",
            "0123456789abcdef",
            "",
        ] {
            assert!(!knows(header), "{header}");
        }
        assert!(!Token::new("0123456789abcdef").unwrap().is_in(&HeaderMap::new()));
    }

    #[test]
    fn a_token_that_can_be_guessed_is_refused_and_none_is_shown() {
        assert!(Token::new("short").is_err() && Token::new("with space 012345678").is_err());
        assert_eq!(format!("{:?}", Token::new("0123456789abcdef").unwrap()), "Token");
    }
}
