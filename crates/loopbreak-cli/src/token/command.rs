//! Makes, lists and revokes tokens.

use loopbreak::step::EpochMillis;
use loopbreak::text::printable;
use loopbreak_server::service::NewToken;
use loopbreak_store::now;
use loopbreak_store::service::{AuditRecord, ServiceStore, ServiceToken, TokenScope};

use super::args::{TokenArgs, TokenCommand};
use crate::error::UserError;
use crate::service_store_option::open_service;
use crate::{exit, output};

pub(crate) fn run(args: &TokenArgs) -> Result<u8, UserError> {
    match &args.command {
        TokenCommand::Create { scope, project, expires, note, store } => {
            let store = open_service(store)?;
            let lifetime = expires.map(|time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX));
            let token = NewToken {
                note: note.clone(),
                project: project.clone(),
                scopes: if scope.is_empty() { vec![TokenScope::Ingest] } else { scope.clone() },
                expires: lifetime.map(|time| now().saturating_add(time)),
            };
            let made = token.create(&*store, now());
            let (token, text) = made.map_err(|error| UserError::failed(error.to_string()))?;
            audit(&*store, "token.create", &token.project, &token.id)?;
            eprint_line!("loopbreak: token {} for the project {}", token.id, token.project);
            output::print(&format!("{text}\n"))?;
        }
        TokenCommand::List { store } => {
            let tokens = open_service(store)?.tokens()?;
            if tokens.is_empty() {
                eprint_line!("loopbreak: no tokens; `loopbreak token create` makes one");
            }
            output::print(&tokens.iter().map(describe).collect::<String>())?;
        }
        TokenCommand::Revoke { id, store } => {
            let store = open_service(store)?;
            let known = store.token(id)?;
            if !store.revoke_token(id)? {
                return Err(UserError::usage(format!("no token {id:?}"))
                    .hint("`loopbreak token list` shows the ids of the tokens"));
            }
            audit(&*store, "token.revoke", known.as_ref().map_or("", |token| &token.project), id)?;
            output::print(&format!("revoked {id}\n"))?;
        }
    }
    Ok(exit::DONE)
}

fn audit(store: &dyn ServiceStore, action: &str, project: &str, token: &str) -> Result<(), UserError> {
    Ok(store.audit(&AuditRecord {
        at: now(),
        project: project.to_owned(),
        actor: "local".to_owned(),
        action: action.to_owned(),
        subject: token.to_owned(),
        ..AuditRecord::default()
    })?)
}

/// Describes a token on one line.
fn describe(token: &ServiceToken) -> String {
    let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.as_str()).collect();
    let time = |at| EpochMillis(at).rfc3339().unwrap_or_default();
    let expires = match token.expires {
        None => "never expires".to_owned(),
        Some(at) if at <= now() => format!("expired {}", time(at)),
        Some(at) => format!("expires {}", time(at)),
    };
    let note = printable(&token.note);
    format!("{}  {}  {}  {expires}  {note}", token.id, token.project, scopes.join(",")).trim_end().to_owned()
        + "\n"
}
