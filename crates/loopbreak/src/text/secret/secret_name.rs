//! Names that say that their value is a secret: `DB_PASSWORD`, `x-api-key`, `"pwd"`, `MYSQL_PWD`, `Cookie`.

/// The meaning of a name for its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SecretName {
    /// A password: anything may be one.
    Password,
    /// A token or key: short numbers are counts.
    Token,
    /// A word that has other meanings too, such as `pass` and `auth`: the value has to look like a secret.
    Ambiguous,
    /// An ambiguous word in a name of several words, such as `DB_PASS`.
    Qualified,
    /// A signature in an address.
    Signature,
    /// A header whose value begins with the name of a scheme, which is kept.
    Header,
    /// A header whose value is a list of cookies.
    Cookie,
    /// A list of words that stands for a key.
    Mnemonic,
}

/// Ends of names. A name is compared without separators and in lower case, so that `token_count` and `tokens` do not match.
const ENDS: &[(&str, SecretName)] = &[
    ("password", SecretName::Password),
    ("passwd", SecretName::Password),
    ("passphrase", SecretName::Password),
    ("storepass", SecretName::Password),
    ("keypass", SecretName::Password),
    ("secret", SecretName::Password),
    ("secretstring", SecretName::Password),
    ("token", SecretName::Token),
    ("apikey", SecretName::Token),
    ("accesskey", SecretName::Token),
    ("secretkey", SecretName::Token),
    ("privatekey", SecretName::Token),
    ("accountkey", SecretName::Token),
    ("encryptionkey", SecretName::Token),
    ("signingkey", SecretName::Token),
    ("masterkey", SecretName::Token),
    ("subscriptionkey", SecretName::Token),
    ("clientkeydata", SecretName::Token),
    ("clientcertificatedata", SecretName::Token),
    ("authorization", SecretName::Header),
    ("mnemonic", SecretName::Mnemonic),
    ("seedphrase", SecretName::Mnemonic),
    ("recoveryphrase", SecretName::Mnemonic),
];

/// Words at the end of a name that have other meanings too.
const WORDS: &[&str] = &["pass", "pwd", "cred", "creds", "credential", "credentials", "auth", "psk", "pat"];

/// Words that end like a secret.
const OTHER_WORDS: &[&str] = &["bypass", "compass", "surpass", "trespass", "encompass", "oauth"];

const LONGEST: usize = 24;

/// Returns what the end of a name says about its value.
pub(super) fn kind_of(name: &[u8]) -> Option<SecretName> {
    // Nearly all names end otherwise.
    let last = name.iter().rev().find(|byte| byte.is_ascii_alphanumeric())?;
    if !matches!(
        last.to_ascii_lowercase(),
        b'd' | b'e' | b'n' | b't' | b'y' | b'a' | b'c' | b's' | b'l' | b'h' | b'k' | b'g'
    ) {
        return None;
    }
    // The end of the name, in reverse, without separators, in lower case.
    let mut end = [0; LONGEST];
    let plain = name.iter().rev().filter(|byte| byte.is_ascii_alphanumeric());
    let mut length = 0;
    for (slot, byte) in end.iter_mut().zip(plain) {
        *slot = byte.to_ascii_lowercase();
        length += 1;
    }
    let end = &end[..length];
    let ends_with =
        |word: &str| end.len() >= word.len() && word.bytes().rev().eq(end[..word.len()].iter().copied());
    if let Some((_, kind)) = ENDS.iter().find(|(word, _)| ends_with(word)) {
        return Some(*kind);
    }
    if ends_with("cookie") && matches!(length, 6 | 9) {
        return (length == 6 || ends_with("setcookie")).then_some(SecretName::Cookie);
    }
    if ends_with("signature") || ends_with("sig") && begins_word(name, "sig".len()) {
        return Some(SecretName::Signature);
    }
    if OTHER_WORDS.iter().any(|word| ends_with(word)) {
        return None;
    }
    let word = WORDS.iter().find(|word| ends_with(word) && begins_word(name, word.len()))?;
    Some(if name.len() > word.len() { SecretName::Qualified } else { SecretName::Ambiguous })
}

/// Returns whether the last letters of a name are a word of their own: `DB_PASS`, `dbPass`, `DBPASS`, but not `dbpass`.
fn begins_word(name: &[u8], letters: usize) -> bool {
    let Some(start) = name.len().checked_sub(letters) else { return false };
    let first = name[start];
    match start.checked_sub(1).map(|before| name[before]) {
        None => true,
        Some(before) if !before.is_ascii_alphanumeric() => true,
        Some(before) if first.is_ascii_uppercase() && before.is_ascii_lowercase() => true,
        _ => !name.iter().any(u8::is_ascii_lowercase),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_name_decides() {
        for name in [
            "password",
            "DB_PASSWORD",
            "x-api-key",
            "clientSecret",
            "userToken",
            "AccountKey",
            "client-key-data",
        ] {
            assert!(
                matches!(kind_of(name.as_bytes()), Some(SecretName::Password | SecretName::Token)),
                "{name}"
            );
        }
        for name in ["DBPASS", "DB_PASS", "dbPass", "MYSQL_PWD", "_auth", "git.cred"] {
            assert_eq!(kind_of(name.as_bytes()), Some(SecretName::Qualified), "{name}");
        }
        for name in ["pass", "pwd", "auth", "credential", "PASS"] {
            assert_eq!(kind_of(name.as_bytes()), Some(SecretName::Ambiguous), "{name}");
        }
        for name in [
            "tokens",
            "token_count",
            "bypass",
            "compass",
            "author",
            "passes",
            "oauth",
            "key",
            "signal",
            "design",
        ] {
            assert_eq!(kind_of(name.as_bytes()), None, "{name}");
        }
    }
}
