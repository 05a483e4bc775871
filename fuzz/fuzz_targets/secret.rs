//! Masks the secrets of arbitrary text, and one that is planted in a line of its own.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopbreak::text::{MASK, clip, clip_masked, find_secrets, mask_secrets};

/// The planted secret. Letters and digits of both cases, so that no rule takes it for a word.
const SECRET: &str = "Zq9Xk2LmSecret7731";

/// Lines with `§` in place of the secret, one for each kind of rule.
const LINES: [&str; 24] = [
    "password=§",
    "export DB_PASSWORD=§",
    "{\"password\": \"§\", \"user\": \"bob\"}",
    "client_secret='§'",
    "Authorization: Bearer §",
    "X-Api-Key: §",
    "Set-Cookie: sid=§; Path=/",
    "postgres://bob:§@db:5432/x",
    "git clone https://§@host/x",
    "https://hooks.slack.com/services/T0/B0/§",
    "curl -u bob:§ https://x",
    "mysql -uroot -p§ db",
    "sshpass -p § ssh host",
    "redis-cli -h db -a § PING",
    "ldapsearch -x -D cn=admin -w § uid=1",
    "htpasswd -b file bob §",
    "zip -P § a.zip a",
    "vault login §",
    "echo § | docker login -u bob --password-stdin",
    "openssl rsa -passin pass:§ -in a",
    "glpat-§0123456789",
    "ghp_§0123456789abcdefghij",
    "<password>§</password>",
    "machine host login bob password §",
];

/// Checks everything that holds for any text.
fn check(text: &str) -> String {
    let masked = mask_secrets(text).into_owned();
    let mut end = 0;
    let mut hidden = 0;
    for secret in find_secrets(text) {
        assert!(secret.range.start >= end && !secret.range.is_empty(), "secrets overlap or are empty");
        assert!(text.get(secret.range.clone()).is_some(), "{:?} cuts a character", secret.range);
        end = secret.range.end;
        hidden += 1;
    }
    assert!(masked.len() <= text.len() + hidden * MASK.len());
    for secret in find_secrets(&masked) {
        assert!(masked[secret.range].contains(MASK), "masking twice finds what holds no mask");
    }
    for max in [0, 7, 40, 200] {
        assert_eq!(clip_masked(text, max), clip(&masked, max), "cut at {max}");
    }
    masked
}

fuzz_target!(|data: &[u8]| {
    let [line, split, text @ ..] = data else { return };
    let text = String::from_utf8_lossy(text).replace('§', SECRET);
    check(&text);
    let at = text.floor_char_boundary(text.len() * usize::from(*split) / 255);
    let (before, after) = text.split_at(at);
    // A blank line ends everything that a text can open: a command that is continued, a value on the next line.
    let line = LINES[usize::from(*line) % LINES.len()].replace('§', SECRET);
    let masked = check(&format!("{before}\n\n{line}\n\n{after}"));
    let planted = masked.matches(SECRET).count();
    let others = mask_secrets(before).matches(SECRET).count() + mask_secrets(after).matches(SECRET).count();
    assert!(planted <= others, "{line:?} is not masked");
});
