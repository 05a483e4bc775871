//! The sender of a request: the owner of the server, or a token with its project and scopes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hyper::header::{AUTHORIZATION, COOKIE};
use hyper::{HeaderMap, StatusCode};
use loopbreak_store::now;
use loopbreak_store::service::{ServiceStore, ServiceToken, TokenScope};
use subtle::ConstantTimeEq as _;

use super::api_error::ApiError;
use crate::http::BearerToken;
use crate::service::ProjectName;
use crate::service::access_token::{hash_secret, split_token};

/// Id of the owner. Those of tokens are random.
const OWNER: &str = "owner";
/// Header by which the owner selects a project, and by which an answer names it.
pub(super) const PROJECT_HEADER: &str = "loopbreak-project";
/// Name of the cookie of a browser.
const SESSION_COOKIE: &str = "loopbreak_session";
/// Time for which a token is remembered. One that was revoked is accepted for as long as that.
const REMEMBERED: Duration = Duration::from_secs(2);
/// Number of tokens that are remembered.
const MAX_REMEMBERED: usize = 1000;
/// Time for which the code of `--open` can be used.
const CODE_TIME: Duration = Duration::from_mins(5);
/// Largest number of browsers, and the time after which one has to be opened again.
const MAX_SESSIONS: usize = 100;
const SESSION_TIME: Duration = Duration::from_hours(24 * 7);

/// The sender of a request.
#[derive(Clone, Debug)]
pub(crate) struct ApiCaller {
    /// Id of the token, or `owner`.
    pub(crate) id: String,
    /// The project that the request is about.
    pub(crate) project: ProjectName,
    scopes: Vec<TokenScope>,
    /// True if the request was authenticated by a cookie, which browsers send by themselves.
    pub(super) by_cookie: bool,
}

impl ApiCaller {
    /// Returns whether the caller is the owner of the server, who may see all projects.
    pub(crate) fn is_owner(&self) -> bool {
        self.id == OWNER
    }

    /// Checks that the caller may do something.
    pub(crate) fn require(&self, scope: TokenScope) -> Result<(), ApiError> {
        if self.scopes.contains(&scope) {
            return Ok(());
        }
        let name = scope.as_str();
        Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "missing_scope",
            format!("The token has no scope {name:?}"),
            format!("Use a token with that scope: `loopbreak token create --scope {name}`"),
        ))
    }
}

/// Knows who may use the server. Clones share everything.
#[derive(Clone, Debug)]
pub(crate) struct CallerAccess {
    store: Arc<dyn ServiceStore>,
    /// The token of the owner. Without one, everybody is the owner.
    owner: Option<BearerToken>,
    remembered: Arc<Mutex<RememberedTokens>>,
    browsers: Arc<Mutex<BrowserSessions>>,
    has_tls: bool,
}

/// Tokens by their ids, or that there is none, and when that was read.
type RememberedTokens = BTreeMap<String, (Option<ServiceToken>, Instant)>;

/// Browsers that were opened by the owner.
#[derive(Debug, Default)]
struct BrowserSessions {
    code: Option<(String, Instant)>,
    sessions: BTreeMap<String, Instant>,
}

impl CallerAccess {
    pub(crate) fn new(store: Arc<dyn ServiceStore>, owner: Option<BearerToken>, has_tls: bool) -> Self {
        CallerAccess { store, owner, remembered: Arc::default(), browsers: Arc::default(), has_tls }
    }

    /// Returns who sends a request.
    pub(super) async fn identify(&self, headers: &HeaderMap) -> Result<ApiCaller, ApiError> {
        let Some(owner) = &self.owner else { return owner_caller(headers, false) };
        if owner.is_in(headers) {
            return owner_caller(headers, false);
        }
        if let Some(text) = bearer_text(headers) {
            return self.identify_token(text).await;
        }
        match cookie(headers) {
            Some(session) if self.has_session(session) => owner_caller(headers, true),
            _ => Err(unauthorized("The request has no token")),
        }
    }

    async fn identify_token(&self, text: &str) -> Result<ApiCaller, ApiError> {
        let refused = || unauthorized("The token is not valid");
        let (id, secret) = split_token(text).ok_or_else(refused)?;
        let token = self.find_token(id).await?.ok_or_else(refused)?;
        let given = hash_secret(secret);
        if !bool::from(given.as_bytes().ct_eq(token.hash.as_bytes())) {
            return Err(refused());
        }
        if token.expires.is_some_and(|expires| expires <= now()) {
            return Err(unauthorized("The token has expired"));
        }
        let project = token.project.parse().map_err(|_| refused())?;
        Ok(ApiCaller { id: token.id, project, scopes: token.scopes, by_cookie: false })
    }

    async fn find_token(&self, id: &str) -> Result<Option<ServiceToken>, ApiError> {
        let remembered = || self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((token, read)) = remembered().get(id)
            && read.elapsed() < REMEMBERED
        {
            return Ok(token.clone());
        }
        let (store, name) = (Arc::clone(&self.store), id.to_owned());
        let found = tokio::task::spawn_blocking(move || store.token(&name)).await;
        let found = found.map_err(|_| ApiError::unavailable("The server is ending", REMEMBERED))??;
        let mut remembered = remembered();
        if remembered.len() >= MAX_REMEMBERED {
            remembered.clear();
        }
        remembered.insert(id.to_owned(), (found.clone(), Instant::now()));
        Ok(found)
    }

    /// Makes the code with which a browser of the owner is let in, once.
    pub(crate) fn make_code(&self) -> Result<String, getrandom::Error> {
        let code = random_text()?;
        let mut browsers = self.browsers.lock().unwrap_or_else(PoisonError::into_inner);
        browsers.code = Some((code.clone(), Instant::now()));
        Ok(code)
    }

    /// Takes a code, and returns the session for the cookie.
    pub(super) fn redeem_code(&self, given: &str) -> Option<String> {
        let mut browsers = self.browsers.lock().unwrap_or_else(PoisonError::into_inner);
        let (code, made) = browsers.code.as_ref()?;
        if made.elapsed() > CODE_TIME || !bool::from(code.as_bytes().ct_eq(given.as_bytes())) {
            return None;
        }
        browsers.code = None;
        let session = random_text().ok()?;
        browsers.sessions.retain(|_, opened| opened.elapsed() < SESSION_TIME);
        if browsers.sessions.len() >= MAX_SESSIONS {
            browsers.sessions.clear();
        }
        browsers.sessions.insert(session.clone(), Instant::now());
        Some(session)
    }

    /// Returns the header that gives a session to a browser. No script can read it, and with TLS it is never sent without.
    pub(super) fn cookie(&self, session: &str) -> String {
        let secure = if self.has_tls { "; Secure" } else { "" };
        format!("{SESSION_COOKIE}={session}; HttpOnly; SameSite=Strict; Path=/; Max-Age=604800{secure}")
    }

    fn has_session(&self, given: &str) -> bool {
        let browsers = self.browsers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = browsers.sessions.iter().filter(|(_, opened)| opened.elapsed() < SESSION_TIME);
        known
            .fold(false, |found, (session, _)| found | bool::from(session.as_bytes().ct_eq(given.as_bytes())))
    }
}

/// Returns 32 random bytes as text.
pub(crate) fn random_text() -> Result<String, getrandom::Error> {
    let mut random = [0; 32];
    getrandom::fill(&mut random)?;
    Ok(hex_text(&random))
}

/// Writes bytes as hexadecimal digits.
pub(crate) fn hex_text(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn owner_caller(headers: &HeaderMap, by_cookie: bool) -> Result<ApiCaller, ApiError> {
    let project = match headers.get(PROJECT_HEADER) {
        None => ProjectName::default(),
        Some(name) => name.to_str().ok().and_then(|name| name.parse().ok()).ok_or_else(|| {
            ApiError::invalid(
                "Invalid header Loopbreak-Project",
                "Use 1 to 64 letters, digits, `.`, `_` and `-`",
            )
        })?,
    };
    Ok(ApiCaller { id: OWNER.to_owned(), project, scopes: TokenScope::ALL.to_vec(), by_cookie })
}

fn bearer_text(headers: &HeaderMap) -> Option<&str> {
    let (kind, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    kind.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn cookie(headers: &HeaderMap) -> Option<&str> {
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == SESSION_COOKIE).map(|(_, value)| value)
}

fn unauthorized(message: &str) -> ApiError {
    ApiError::new(
        StatusCode::UNAUTHORIZED,
        "unauthorized",
        message,
        "Send `Authorization: Bearer TOKEN`. `loopbreak token create` makes a token; the token of the owner is in the \
         private file that `loopbreak serve` names when it starts",
    )
}
