//! Masks secrets before a text is stored, shown or sent.
//!
//! Keys and passwords must be masked. Everything else is kept: a report full of `***` explains nothing. There are four kinds of
//! rules, each with a table or a list of its own: keys with a known form, values after a known name, arguments of known
//! commands, and addresses. `cargo xtask secrets` counts what they mask in ordinary text.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use super::clip::clip;

mod addresses;
mod blocks;
mod command_secrets;
mod keyed;
mod secret_name;
mod secret_value;
#[cfg(test)]
mod shape_tests;
mod token_table;

/// Replacement for a secret.
pub const MASK: &str = "***";

/// A secret in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundSecret {
    /// The name of the rule that found it: the vendor of a key, or the kind of place.
    pub rule: &'static str,
    /// Its place in the text.
    pub range: Range<usize>,
}

/// Returns `text` with its secrets replaced by `***`. Borrows the text if there are none.
pub fn mask_secrets(text: &str) -> Cow<'_, str> {
    let mut masked = String::new();
    let mut copied = 0;
    for secret in find_secrets(text) {
        masked.push_str(&text[copied..secret.range.start]);
        masked.push_str(MASK);
        copied = secret.range.end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    masked.push_str(&text[copied..]);
    Cow::Owned(masked)
}

/// Returns the beginning of a text without its secrets, cut to `max_bytes`. Secrets are masked before the cut, so that no part of
/// one is left. Reads no further than it has to.
pub fn clip_masked(text: &str, max_bytes: usize) -> Cow<'_, str> {
    let mut masked = String::new();
    let mut copied = 0;
    let mut finder = SecretFinder::new(text);
    loop {
        finder.limit = copied + max_bytes.saturating_sub(masked.len());
        match finder.next() {
            Some(secret) => {
                masked.push_str(&text[copied..secret.range.start]);
                masked.push_str(MASK);
                copied = secret.range.end;
            }
            None if copied == 0 => return Cow::Borrowed(clip(text, max_bytes)),
            None => {
                masked.push_str(clip(&text[copied..], max_bytes.saturating_sub(masked.len())));
                masked.truncate(masked.floor_char_boundary(max_bytes));
                return Cow::Owned(masked);
            }
        }
    }
}

/// Finds the secrets of a text, in their order.
pub fn find_secrets(text: &str) -> impl Iterator<Item = FoundSecret> {
    SecretFinder::new(text)
}

/// Finds secrets in one pass: only a few bytes can begin a secret or end the name of one, and only those are examined.
struct SecretFinder<'t> {
    text: &'t str,
    at: usize,
    /// The byte from which no secret is looked for.
    limit: usize,
    /// Secrets of a command that begin later.
    queue: VecDeque<FoundSecret>,
    /// The end of the command that was read last, and how many more may be read within it.
    command_end: usize,
    commands_left: u8,
}

impl<'t> SecretFinder<'t> {
    fn new(text: &'t str) -> Self {
        let (queue, limit) = (VecDeque::new(), text.len());
        SecretFinder { text, at: 0, limit, queue, command_end: 0, commands_left: 0 }
    }

    /// Returns the secret that the word or sign at `at` indicates. It never begins before `at`.
    fn secret_at(&mut self, at: usize) -> Option<FoundSecret> {
        let (text, bytes) = (self.text, self.text.as_bytes());
        match bytes[at] {
            b':' if bytes[at + 1..].starts_with(b"//") => addresses::in_address(bytes, at + 3),
            b':' => addresses::bot_key(bytes, at)
                .or_else(|| addresses::password_file(bytes, at))
                .or_else(|| keyed::after_name(text, at)),
            b'=' => keyed::after_name(text, at),
            b'>' => keyed::in_element(bytes, at),
            b'-' if bytes[at..].starts_with(b"-----BEGIN ") => blocks::private_key(text, at),
            b'-' => keyed::after_flag(text, at),
            _ => self.secret_word(at),
        }
    }

    /// Returns the secret that the word at `at` is or indicates.
    fn secret_word(&mut self, at: usize) -> Option<FoundSecret> {
        let bytes = self.text.as_bytes();
        let token =
            if token_table::may_begin(bytes[at]) { token_table::known_token(bytes, at) } else { None };
        let found = token.or_else(|| token_table::parted_token(bytes, at)).or_else(|| match bytes[at] {
            b'B' | b'b' => blocks::after_scheme(bytes, at),
            b'm' if bytes[at..].starts_with(b"machine ") => blocks::netrc(bytes, at),
            b'd' if bytes[at..].starts_with(b"default login ") => blocks::netrc(bytes, at),
            b'p' if bytes[at..].starts_with(b"pass:") => blocks::after_pass(bytes, at),
            _ => None,
        });
        let found = found.or_else(|| {
            let quoted = at > 0 && secret_value::is_quote(bytes[at - 1]) && bytes[at].is_ascii_lowercase();
            if quoted { blocks::quoted_words(bytes, at) } else { None }
        });
        if found.is_none() && COMMANDS[usize::from(bytes[at])] {
            self.read_command(at);
        }
        found
    }

    /// Queues the secrets of a command. Few commands within another one are read, so that a row of them takes no longer.
    fn read_command(&mut self, at: usize) {
        const COMMANDS_WITHIN: u8 = 3;
        let bytes = self.text.as_bytes();
        if !command_secrets::is_command(bytes, at) {
            return;
        }
        let is_within = at < self.command_end;
        if is_within && self.commands_left == 0 {
            return;
        }
        self.commands_left = if is_within { self.commands_left - 1 } else { COMMANDS_WITHIN };
        let (secrets, end) = command_secrets::in_command(bytes, at);
        self.command_end = self.command_end.max(end);
        self.queue.extend(secrets);
        self.queue.make_contiguous().sort_by_key(|secret| secret.range.start);
    }

    /// Returns the next secret of a command, if it begins at `at` or before. What was masked already is left out.
    fn queued(&mut self) -> Option<FoundSecret> {
        while self.queue.front()?.range.start <= self.at {
            let FoundSecret { rule, range } = self.queue.pop_front()?;
            let range = range.start.max(self.at)..range.end;
            if !range.is_empty() {
                return Some(FoundSecret { rule, range });
            }
        }
        None
    }
}

impl Iterator for SecretFinder<'_> {
    type Item = FoundSecret;

    fn next(&mut self) -> Option<FoundSecret> {
        let bytes = self.text.as_bytes();
        let mut in_word = self.at > 0 && is_word(bytes[self.at - 1]);
        while self.at < self.limit.min(bytes.len()) {
            if let Some(secret) = self.queued() {
                self.at = secret.range.end;
                return Some(secret);
            }
            let byte = bytes[self.at];
            let class = CLASSES[usize::from(byte)];
            // The end of a line in a JSON string is not part of a word.
            if byte == b'\\' && matches!(bytes.get(self.at + 1), Some(b'n' | b'r' | b't')) {
                self.at += 2;
                in_word = false;
                continue;
            }
            let begins = class & BEGINS != 0 && !in_word;
            if (class & SIGN != 0 || begins)
                && let Some(secret) = self.secret_at(self.at).filter(|secret| !secret.range.is_empty())
            {
                if secret.range.start == self.at || self.queue.is_empty() {
                    self.at = secret.range.end;
                    return Some(secret);
                }
                // A secret of a command may come first.
                self.queue.push_back(secret);
                self.queue.make_contiguous().sort_by_key(|secret| secret.range.start);
            }
            in_word = class & WORD != 0;
            self.at += 1;
        }
        None
    }
}

/// Properties of a byte: part of a word, may begin a secret or the name of one at the beginning of a word, or may indicate one
/// anywhere. All are ASCII.
const WORD: u8 = 1;
const BEGINS: u8 = 2;
const SIGN: u8 = 4;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        let this = byte as u8;
        if is_word(this) {
            classes[byte] |= WORD;
        }
        if this.is_ascii_alphanumeric() || this == b'-' {
            classes[byte] |= BEGINS;
        }
        if matches!(this, b'=' | b':' | b'>') {
            classes[byte] |= SIGN;
        }
        byte += 1;
    }
    classes
};

/// Bytes with which a command begins that takes a secret.
const COMMANDS: [bool; 256] = {
    let mut begins = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        begins[byte] = command_secrets::may_begin(byte as u8);
        byte += 1;
    }
    begins
};

/// Returns whether tokens and names contain a byte. A token is examined only at the start of a run of
/// such bytes, which keeps the pass linear.
const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Returns the number of bytes from `at` that satisfy `wanted`.
fn run(bytes: &[u8], at: usize, wanted: impl Fn(u8) -> bool) -> usize {
    bytes.get(at..).unwrap_or_default().iter().take_while(|&&byte| wanted(byte)).count()
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
        fn a_second_masking_finds_only_what_holds_a_mask(
            text in "(password|token|--secret|Bearer|Authorization|https://a|sk-|eyJ|curl -u a:|mysql -p|vault login |echo |--password-stdin|Cookie: |pass:|machine a login b password |[=: \"'\\\\@./&-]|[a-zé0-9]{1,20}|\n){0,20}"
        ) {
            let once = mask_secrets(&text).into_owned();
            for secret in find_secrets(&once) {
                let found = &once[secret.range];
                prop_assert!(found.contains(MASK), "{:?} was left in {:?}", found, once);
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>()) {
            let _ = mask_secrets(&text);
        }

        #[test]
        fn secrets_are_masked_before_the_cut(
            text in "(password=|token: |curl -u bob:|-p|\\\\n|\n|Bearer |https://a:|<pass>|[=: \"'@|é]|[a-zA-Z0-9]{1,30}){0,30}",
            max in 0_usize..120,
        ) {
            let whole = mask_secrets(&text);
            prop_assert_eq!(clip_masked(&text, max), clip(&whole, max));
        }

        #[test]
        fn a_password_after_its_name_is_always_masked(
            secret in "[A-Za-z0-9!#%+/]{4,15}[0-9#%+/][A-Za-z0-9!#%+/]{4,15}",
            before in "[a-z ]{0,20}",
        ) {
            let text = format!("{before} password={secret} after");
            prop_assert_eq!(mask_secrets(&text), format!("{before} password=*** after"));
        }
    }
}
