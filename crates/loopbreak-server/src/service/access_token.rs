//! Tokens of clients: their text, and what is stored of them.

use loopbreak_store::StoreError;
use loopbreak_store::service::{ServiceStore, ServiceToken, TokenScope};
use sha2::{Digest as _, Sha256};

use super::ProjectName;
use super::api::{hex_text, random_text};

/// Start of every token, by which scanners for secrets recognise it.
const PREFIX: &str = "lbs_";
/// Length of the id of a token.
const ID_LENGTH: usize = 10;

/// A new token.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// Note about its purpose.
    pub note: String,
    /// Project whose runs it can reach.
    pub project: ProjectName,
    /// Scopes.
    pub scopes: Vec<TokenScope>,
    /// Time from which it is refused, in milliseconds since 1970.
    pub expires: Option<i64>,
}

/// The reason why no token was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NewTokenError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system has no random numbers.
    #[error("cannot make a random token: {0}")]
    Random(#[from] getrandom::Error),
}

impl NewToken {
    /// Makes the token and stores its hash. Returns what is stored, and the text, which nobody can find out later.
    pub fn create(self, store: &dyn ServiceStore, now: i64) -> Result<(ServiceToken, String), NewTokenError> {
        let (mut id, secret) = (random_text()?, random_text()?);
        id.truncate(ID_LENGTH);
        let text = format!("{PREFIX}{id}_{secret}");
        let token = ServiceToken {
            id,
            note: self.note,
            hash: hash_secret(&secret),
            project: self.project.to_string(),
            scopes: self.scopes,
            created: now,
            expires: self.expires,
        };
        store.add_token(&token)?;
        Ok((token, text))
    }
}

/// Splits the text of a token into its id and its secret.
pub(super) fn split_token(text: &str) -> Option<(&str, &str)> {
    let (id, secret) = text.strip_prefix(PREFIX)?.split_once('_')?;
    (id.len() == ID_LENGTH && !secret.is_empty()).then_some((id, secret))
}

/// Returns the hash of a secret. Secrets are random and long, so that a fast hash is enough.
pub(super) fn hash_secret(secret: &str) -> String {
    hex_text(&Sha256::digest(secret.as_bytes()))
}
