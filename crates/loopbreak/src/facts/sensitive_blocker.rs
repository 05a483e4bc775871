//! Blockers that only a human may remove: a secret, a signature, a payment or an approval is missing.

/// Words that are about a secret, a signature, a payment or an approval wherever they occur.
const ALWAYS: &[&str] = &[
    // Secrets.
    "secret",
    "secrets",
    "credential",
    "credentials",
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "passphrases",
    "passcode",
    "passcodes",
    "apikey",
    "apikeys",
    "keystore",
    "keyring",
    "mfa",
    "2fa",
    "otp",
    "captcha",
    // Signatures.
    "signing",
    "signoff",
    "signoffs",
    "codesign",
    "codesigning",
    "cosign",
    "notarize",
    "notarized",
    "notarization",
    "notarise",
    "notarised",
    "notarisation",
    "certificate",
    "certificates",
    // Payments.
    "payment",
    "payments",
    "pay",
    "pays",
    "paid",
    "paying",
    "unpaid",
    "prepaid",
    "billing",
    "buy",
    "buying",
    "bought",
    "purchase",
    "purchases",
    "purchased",
    "purchasing",
    // Approvals.
    "approval",
    "approvals",
    "approve",
    "approves",
    "approved",
    "approver",
    "approvers",
    "approving",
    "unapproved",
    "consent",
    "authorize",
    "authorized",
    "authorization",
    "unauthorized",
    "authorise",
    "authorised",
    "authorisation",
    "unauthorised",
];

/// Words before `key` with which it opens something. Most keys are those of a table, a map or a keyboard.
const BEFORE_KEY: &[&str] = &[
    "api",
    "private",
    "ssh",
    "gpg",
    "pgp",
    "access",
    "encryption",
    "decryption",
    "deploy",
    "license",
    "licence",
    "account",
    "auth",
    "authentication",
    "master",
    "root",
    "tls",
    "ssl",
    "hmac",
    "security",
    "service",
    "signature",
    "registry",
];
/// Words before and after `token` with which it is a piece of text or an amount.
const BEFORE_TEXT_TOKEN: &[&str] =
    &["unexpected", "unrecognized", "unknown", "illegal", "unterminated", "design", "syntax", "many", "max"];
const AFTER_AMOUNT_TOKEN: &[&str] =
    &["limit", "limits", "count", "counts", "budget", "window", "usage", "stream", "type", "types"];
/// Words before `sign` with which it is something that someone does.
const BEFORE_SIGN: &[&str] = &["to", "cannot", "can", "must", "should", "not", "t", "code", "who", "please"];
/// Words after `signed` with which it is a kind of number.
const AFTER_SIGNED_NUMBER: &[&str] =
    &["int", "ints", "integer", "integers", "char", "number", "numbers", "zero", "overflow", "byte", "bytes"];
/// Words before `signature` with which it belongs to code.
const BEFORE_CODE_SIGNATURE: &[&str] =
    &["function", "method", "type", "call", "trait", "constructor", "handler", "callback", "api"];
/// Words before `review` with which it is an approval by people.
const BEFORE_REVIEW: &[&str] = &["security", "legal", "human", "manual", "compliance", "privacy"];

/// Returns whether a blocker is about a secret, a signature, a payment or an approval. An agent that goes around one of those
/// does what somebody kept for themselves.
pub(crate) fn is_sensitive_blocker(blocker: &str) -> bool {
    let words = words(blocker);
    (0..words.len()).any(|at| is_sensitive_word(&words, at))
}

fn is_sensitive_word(words: &[String], at: usize) -> bool {
    let word = words[at].as_str();
    let near =
        |offset: isize| at.checked_add_signed(offset).and_then(|at| words.get(at)).map_or("", String::as_str);
    let (before, after) = (near(-1), near(1));
    match word {
        "key" | "keys" => BEFORE_KEY.contains(&before),
        "token" | "tokens" => !BEFORE_TEXT_TOKEN.contains(&before) && !AFTER_AMOUNT_TOKEN.contains(&after),
        "sign" => match (after, near(2)) {
            ("up", _) | ("in" | "out" | "on", "page" | "form" | "screen" | "button" | "flow" | "link") => {
                false
            }
            ("off", _) => true,
            _ => BEFORE_SIGN.contains(&before),
        },
        "signed" => !AFTER_SIGNED_NUMBER.contains(&after) && after != "and",
        "signature" | "signatures" => !BEFORE_CODE_SIGNATURE.contains(&before),
        "card" | "cards" => before == "credit" || before == "debit",
        "permission" | "permissions" => matches!(after, "of" | "from" | "by"),
        "review" | "reviews" => BEFORE_REVIEW.contains(&before),
        _ => ALWAYS.contains(&word),
    }
}

/// Returns the words of a text in lower case, split at punctuation and where a capital letter follows a small one.
fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut was_small) = (String::new(), false);
    for char in text.chars() {
        let ends = !char.is_alphanumeric() || (was_small && char.is_uppercase());
        if ends && !word.is_empty() {
            words.push(std::mem::take(&mut word));
        }
        if char.is_alphanumeric() {
            word.extend(char.to_lowercase());
        }
        was_small = char.is_lowercase();
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_signatures_payments_and_approvals_are_for_a_human() {
        for blocker in [
            "no signing key",
            "missing auth token",
            "missing API token",
            "GITHUB_TOKEN is not set",
            "apiKey is empty",
            "no API key for the mail service",
            "the private key is not on this machine",
            "Password required",
            "waiting for credentials",
            "payment required",
            "the plan has to be paid first",
            "billing is disabled for the project",
            "no credit card on file",
            "needs approval of the security team",
            "the release was not approved",
            "waiting for sign-off",
            "nobody to sign the release: cannot sign",
            "the commit is not signed",
            "the installer has no valid signature",
            "401 Unauthorized",
            "needs permission from legal",
            "security review is pending",
        ] {
            assert!(is_sensitive_blocker(blocker), "{blocker}");
        }
    }

    #[test]
    fn other_blockers_that_look_alike_are_not() {
        for blocker in [
            "",
            "file is locked",
            "keyboard layout",
            "design of the sign-up page",
            "the sign-in page has no tests",
            "unexpected token `}` in config.json",
            "token limit reached",
            "missing key \"name\" in the table",
            "the primary key is not unique",
            "signed integer overflow",
            "the function signature changed",
            "assigned to somebody else",
            "the payload is too large",
            "critic:design_system unavailable",
            "no network",
            "permission denied: build/",
            "review of the tests is missing",
            "the display has no minus sign",
        ] {
            assert!(!is_sensitive_blocker(blocker), "{blocker}");
        }
    }
}
