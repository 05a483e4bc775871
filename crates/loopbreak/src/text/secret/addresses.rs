//! Secrets in addresses: passwords, keys in place of a user, and webhooks whose path is a key.

use std::ops::Range;

use super::secret_value::{is_placeholder, looks_made};
use super::{FoundSecret, run};

/// Addresses of webhooks, and the number of path segments before the key.
const WEBHOOKS: [(&str, usize); 6] = [
    ("hooks.slack.com/services/", 0),
    ("hooks.slack.com/workflows/", 0),
    ("discord.com/api/webhooks/", 1),
    ("discordapp.com/api/webhooks/", 1),
    ("webhook.office.com/webhookb2/", 0),
    ("hooks.zapier.com/hooks/catch/", 1),
];

/// Returns the secret in the address whose authority begins at `start`.
pub(super) fn in_address(bytes: &[u8], start: usize) -> Option<FoundSecret> {
    let length = run(bytes, start, |byte| !byte.is_ascii_whitespace() && !b"/?#\"'`<>\\".contains(&byte));
    let authority = &bytes[start..start + length];
    let found = |rule, range: Range<usize>| Some(FoundSecret { rule, range });
    if let Some(host) = authority.iter().rposition(|&byte| byte == b'@') {
        let user = &authority[..host];
        let password = match user.iter().position(|&byte| byte == b':') {
            Some(colon) => start + colon + 1..start + host,
            // A key may stand in place of the user.
            None if looks_made(user) && user.len() >= 12 => start..start + host,
            None => return None,
        };
        return if is_placeholder(bytes, password.start) { None } else { found("address", password) };
    }
    let rest = &bytes[start..];
    if authority == b"api.telegram.org" && rest[length..].starts_with(b"/bot") {
        let key = start + length + "/bot".len();
        return found("webhook", key..segment_end(bytes, key));
    }
    let (path, segments) = WEBHOOKS.iter().find(|(address, _)| {
        authority.ends_with(&address.as_bytes()[..address.find('/').unwrap_or(0)])
            && rest[length..].starts_with(&address.as_bytes()[address.find('/').unwrap_or(0)..])
    })?;
    let mut key = start + length + path.len() - path.find('/').unwrap_or(0);
    for _ in 0..*segments {
        key = segment_end(bytes, key) + 1;
    }
    let end = key
        + run(bytes, key.min(bytes.len()), |byte| byte.is_ascii_alphanumeric() || b"-_/@".contains(&byte));
    if end > key && !is_placeholder(bytes, key) { found("webhook", key..end) } else { None }
}

fn segment_end(bytes: &[u8], at: usize) -> usize {
    at + run(bytes, at.min(bytes.len()), |byte| byte.is_ascii_alphanumeric() || b"-_:".contains(&byte))
}

/// Returns the key of a Telegram bot whose number ends before the `:` at `at`.
pub(super) fn bot_key(bytes: &[u8], at: usize) -> Option<FoundSecret> {
    let digits = bytes[..at].iter().rev().take(11).take_while(|byte| byte.is_ascii_digit()).count();
    let key = run(bytes, at + 1, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    let fits = (8..=10).contains(&digits) && key >= 34 && bytes[at + 1..].starts_with(b"AA");
    fits.then_some(FoundSecret { rule: "telegram", range: at + 1..at + 1 + key })
}

/// Returns the password of a line of `.pgpass`, `host:port:database:user:password`, whose first `:` is at `at`.
pub(super) fn password_file(bytes: &[u8], at: usize) -> Option<FoundSecret> {
    const PORTS: [&[u8]; 4] = [b":5432:", b":5433:", b":6432:", b":*:"];
    let port = PORTS.iter().find(|port| bytes[at..].starts_with(port))?;
    let field =
        |start: usize| run(bytes, start, |byte| byte.is_ascii_alphanumeric() || b"_-.*".contains(&byte));
    let database = at + port.len();
    let user = database + field(database) + 1;
    let password = user + field(user) + 1;
    let separated = bytes.get(user - 1) == Some(&b':') && bytes.get(password - 1) == Some(&b':');
    if !separated || user - 1 == database || password - 1 == user {
        return None;
    }
    let end =
        password + run(bytes, password, |byte| !byte.is_ascii_whitespace() && !b"\"'`\\".contains(&byte));
    (end > password && !is_placeholder(bytes, password))
        .then_some(FoundSecret { rule: "pgpass", range: password..end })
}
