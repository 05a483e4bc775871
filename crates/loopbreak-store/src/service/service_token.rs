//! Tokens of the service. Only their hashes are stored.

use std::str::FromStr;

/// A use that a token is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum TokenScope {
    /// Sending steps and asking about actions.
    Ingest,
    /// Reading runs and loops.
    Read,
    /// Everything else: deciding about loops, stopping and forgetting runs.
    Admin,
}

impl TokenScope {
    /// All scopes.
    pub const ALL: [TokenScope; 3] = [TokenScope::Ingest, TokenScope::Read, TokenScope::Admin];

    /// Returns the name in the store and in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            TokenScope::Ingest => "ingest",
            TokenScope::Read => "read",
            TokenScope::Admin => "admin",
        }
    }
}

impl FromStr for TokenScope {
    type Err = UnknownTokenScope;

    fn from_str(name: &str) -> Result<Self, UnknownTokenScope> {
        TokenScope::ALL.into_iter().find(|scope| scope.as_str() == name).ok_or(UnknownTokenScope)
    }
}

/// A text that is not a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope: use ingest, read or admin")]
pub struct UnknownTokenScope;

/// A token of the service.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceToken {
    /// Public name, by which the token is listed and revoked.
    pub id: String,
    /// Note about its purpose.
    pub note: String,
    /// Hash of the secret.
    pub hash: String,
    /// Project whose runs it can reach.
    pub project: String,
    /// Scopes.
    pub scopes: Vec<TokenScope>,
    /// Time at which it was created, in milliseconds since 1970.
    pub created: i64,
    /// Time from which it is refused.
    pub expires: Option<i64>,
}
