//! Masks secrets before a text becomes evidence.
//!
//! Evidence is stored, printed and sent to people, so keys and passwords must be masked. Everything
//! else is kept: a report full of `***` explains nothing. There are two kinds of rules: tokens with a
//! known form, and values after a known name.

use std::borrow::Cow;
use std::ops::Range;

mod keyed;
mod shaped;

/// Replacement for a secret.
pub const MASK: &str = "***";

/// Returns `text` with its secrets replaced by `***`. Borrows the text if there are none.
///
/// Takes one pass: only a few bytes can begin a secret or end the name of one, and only those are
/// examined.
pub fn mask_secrets(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut masked = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(skipped) = bytes[at..].iter().position(|&byte| TRIGGERS[usize::from(byte)]) {
        at += skipped;
        match secret_at(text, at) {
            // A secret starts and ends next to ASCII, so both ends lie between characters.
            Some(secret) if !secret.is_empty() => {
                masked.push_str(&text[copied..secret.start]);
                masked.push_str(MASK);
                copied = secret.end;
                at = secret.end;
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    masked.push_str(&text[copied..]);
    Cow::Owned(masked)
}

/// Returns the secret that the byte at `at` indicates, which never begins before `at`.
fn secret_at(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    match bytes[at] {
        b':' if bytes[at + 1..].starts_with(b"//") => shaped::password_in_url(bytes, at + 3),
        b'=' | b':' => keyed::after_name(text, at),
        b'-' if bytes[at..].starts_with(b"-----BEGIN ") => shaped::private_key(text, at),
        b'-' => keyed::after_flag(text, at),
        _ if at > 0 && is_word(bytes[at - 1]) => None,
        b'B' | b'b' => shaped::bearer(bytes, at),
        _ => shaped::known_token(bytes, at),
    }
}

/// Bytes that can indicate a secret. All are ASCII.
const TRIGGERS: [bool; 256] = {
    let mut triggers = [false; 256];
    let firsts = b"=:-BbsgxAnher";
    let mut index = 0;
    while index < firsts.len() {
        triggers[firsts[index] as usize] = true;
        index += 1;
    }
    triggers
};

/// Returns whether tokens and names contain a byte. A token is examined only at the start of a run of
/// such bytes, which keeps the pass linear.
const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Returns the number of bytes from `at` that satisfy `wanted`.
fn run(bytes: &[u8], at: usize, wanted: impl Fn(u8) -> bool) -> usize {
    bytes[at..].iter().take_while(|&&byte| wanted(byte)).count()
}

/// Returns whether an unquoted value looks random and not like a word.
fn is_random(value: &[u8]) -> bool {
    value.len() >= 16 || value.iter().any(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_are_recognized_by_their_prefix() {
        for (text, expected) in [
            ("key sk-abcdefghijklmnop123456 used", "key *** used"),
            ("sk-ant-api03-AbCd_ef-0123456789abcdef", "***"),
            ("sk-proj-0123456789abcdefABCDEF.", "***."),
            ("sk_live_0123456789abcdefABCDEF", "***"),
            ("push with ghp_0123456789abcdefghijABCDEFGHIJ012345", "push with ***"),
            ("gho_0123456789abcdefghijABCDEFGHIJ012345", "***"),
            ("github_pat_11ABCDEFG0abcdefghij_klmnopqrst", "***"),
            ("(glpat-abcDEF1234567890_xyz)", "(***)"),
            ("xoxb-123456789012-abcdefABCDEF", "***"),
            ("xoxp-123456789012-abcdefABCDEF", "***"),
            ("aws AKIAIOSFODNN7EXAMPLE", "aws ***"),
            ("AIzaSyA0123456789abcdefghijklmnopqrstuv", "***"),
            ("npm_0123456789abcdefghijABCDEFGHIJ012345", "***"),
            ("hf_abcdefghijABCDEFGHIJabcdefghijABCD", "***"),
            ("https://ghp_0123456789abcdefghijABCDEFGHIJ012345@github.com/x", "https://***@github.com/x"),
            ("jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP_mB92K end", "jwt *** end"),
        ] {
            assert_eq!(mask_secrets(text), expected);
        }
    }

    #[test]
    fn values_are_recognized_by_the_name_before_them() {
        for (text, expected) in [
            ("password=hunter2", "password=***"),
            ("PASSWORD=hunter2 make", "PASSWORD=*** make"),
            ("export DB_PASSWORD=abc", "export DB_PASSWORD=***"),
            ("passwd: letmein", "passwd: ***"),
            ("Password: letmein", "Password: ***"),
            ("token=abc&page=2", "token=***&page=2"),
            ("GET /x?api_key=abc&q=1", "GET /x?api_key=***&q=1"),
            ("apikey: abc", "apikey: ***"),
            ("x-api-key: abc", "x-api-key: ***"),
            ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "aws_secret_access_key = ***"),
            ("client_secret='a b c'", "client_secret='***'"),
            (r#"{"password": "hunter2", "user": "bob"}"#, r#"{"password": "***", "user": "bob"}"#),
            (r#"{"apiKey":"abc"}"#, r#"{"apiKey":"***"}"#),
            (r#"{"password": "a\"b", "c": 1}"#, r#"{"password": "***", "c": 1}"#),
            (r#""{\"token\": \"abc\", \"n\": 1}""#, r#""{\"token\": \"***\", \"n\": 1}""#),
            ("{'secret': 'abc'}", "{'secret': '***'}"),
            ("mysql --password hunter2 -u root", "mysql --password *** -u root"),
            ("tool --api-key=abc --x", "tool --api-key=*** --x"),
            ("tool --token 'a b' --x", "tool --token '***' --x"),
            ("my token: ab12cd", "my token: ***"),
            ("token := \"abc\"", "token := \"***\""),
            ("password=päss wörd", "password=*** wörd"),
            (r#"{"password": "cut of"#, r#"{"password": "***"#),
        ] {
            assert_eq!(mask_secrets(text), expected);
        }
    }

    #[test]
    fn credentials_in_headers_and_urls_are_hidden() {
        for (text, expected) in [
            ("Authorization: Bearer abcdef", "Authorization: Bearer ***"),
            ("authorization: Basic dXNlcjpwYXNz", "authorization: Basic ***"),
            ("-H 'Authorization: token abcdef' x", "-H 'Authorization: token ***' x"),
            (r#"{"Authorization": "Bearer abc"}"#, r#"{"Authorization": "Bearer ***"}"#),
            ("sent Bearer a1b2c3d4e5", "sent Bearer ***"),
            ("postgres://bob:hunter2@db:5432/x", "postgres://bob:***@db:5432/x"),
            ("redis://:hunter2@db", "redis://:***@db"),
            ("https://bob:p@ss@host/", "https://bob:***@host/"),
        ] {
            assert_eq!(mask_secrets(text), expected);
        }
    }

    #[test]
    fn a_private_key_is_hidden_as_a_whole_even_if_cut() {
        let whole = "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----\nb";
        assert_eq!(mask_secrets(whole), "a\n***\nb");
        assert_eq!(mask_secrets("a -----BEGIN PRIVATE KEY-----\nMIIE"), "a ***");
        let public = "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----";
        assert!(matches!(mask_secrets(public), Cow::Borrowed(_)));
    }

    #[test]
    fn ordinary_text_is_unchanged_and_not_copied() {
        for text in [
            "token count: 5",
            "tokens: 1200",
            "max_tokens=4096",
            "--max-tokens 4096",
            "token_count=5",
            "the password is wrong",
            "wrong password: please try again",
            "unexpected token: expected a brace",
            "SyntaxError: Unexpected token '}'",
            "6f1c5c0e-3d0b-4f0e-9d6b-0a8f6f0b7c11",
            "commit 15eb29e0f9d7a3b2c1d0e9f8a7b6c5d4e3f2a1b0",
            "sk-learn",
            "npm_config_registry npm_lifecycle_event",
            "hf_hub_download(repo_id)",
            "a bearer token is needed",
            "Basic usage",
            "https://example.com:8080/a@b",
            "http://localhost:3000",
            "token::Kind::Brace",
            "if password == other { }",
            "password: string;",
            "secret: null, token: None",
            "token=${TOKEN} password=$PASS api_key=<your key> token={token}",
            r#""token": [1, 2], "secret": {"a": 1}"#,
            "tool --token <TOKEN> --password-stdin",
            "password=",
            "password:",
            "PWD=/home/bob",
            "let token = lexer.next();",
            "secretary: Bob",
            "eyJust a word.",
            "Akia is a word, AKIA too",
            "running 3 tests: ok",
        ] {
            assert!(
                matches!(mask_secrets(text), Cow::Borrowed(_)),
                "{text:?} became {:?}",
                mask_secrets(text)
            );
        }
    }

    proptest! {
        #[test]
        fn masking_twice_equals_masking_once(
            text in "(password|token|--secret|Bearer|Authorization|https://a|sk-|eyJ|[=: \"'\\\\@./&-]|[a-zé0-9]{1,20}|\n){0,20}"
        ) {
            let once = mask_secrets(&text).into_owned();
            prop_assert_eq!(mask_secrets(&once), once.as_str());
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>()) {
            let _ = mask_secrets(&text);
        }

        #[test]
        fn a_password_after_its_name_is_always_masked(secret in "[A-Za-z0-9!#%+/]{8,30}", before in "[a-z ]{0,20}") {
            let text = format!("{before} password={secret} after");
            prop_assert_eq!(mask_secrets(&text), format!("{before} password=*** after"));
        }
    }
}
