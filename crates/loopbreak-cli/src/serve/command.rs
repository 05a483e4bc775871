//! Starts the service.

use std::fs::File;

use loopbreak_server::mcp::{BearerToken, ServeEnd, ServeError};
use loopbreak_server::service::{ServiceOptions, StartedService, TlsFiles, lock_store_file, serve_service};
use loopbreak_store::service::{ServiceStoreUrl, open_service_store};
use loopbreak_store::{create_parent_folder, now};
use loopbreak_watch::{open_page, write_private_page};

use super::args::ServeArgs;
use crate::config_loading::{self, TOKEN_VARIABLE};
use crate::error::UserError;
use crate::service_store_option::{state_file, store_url};
use crate::{exit, output};

/// Name of the file with the token that is made up, beside the store.
const TOKEN_FILE: &str = "service-token";

pub(crate) fn run(args: &ServeArgs) -> Result<u8, UserError> {
    if args.print_token {
        let (token, _) = token_of_owner(args)?;
        output::print(&format!("{}\n", token.expose()))?;
        return Ok(exit::DONE);
    }
    let settings = config_loading::guarded_settings(&args.config)?;
    let (token, note) = choose_token(args)?;
    let url = store_url(&args.store)?;
    let lock = lock(&url)?;
    let store = open_service_store(&url, now())?;
    let options = ServiceOptions {
        token,
        grpc: args.otlp_grpc,
        tls: tls_files(args),
        behind_proxy: args.behind_proxy,
        hosts: args.allow_host.clone(),
        origins: args.allow_origin.clone(),
        keep: (!args.keep.is_zero()).then_some(args.keep),
        rate: args.rate,
        max_guards: args.max_guards,
        max_queued: args.max_queued,
        shares_store: lock.is_none(),
        ..ServiceOptions::new(args.http, store, settings)
    };
    let ready = |started: &StartedService| {
        eprint_line!("loopbreak: serving at {}\n{note}", started.url());
        if let Some(grpc) = started.grpc_url() {
            eprint_line!("loopbreak: taking telemetry over gRPC at {grpc}");
        }
        if args.open {
            open_browser(started);
        }
    };
    let end = serve_service(options, ready).map_err(|error| user_error(&error))?;
    drop(lock);
    match end {
        ServeEnd::Interrupted => Ok(exit::INTERRUPTED),
        _ => Ok(exit::DONE),
    }
}

fn tls_files(args: &ServeArgs) -> Option<TlsFiles> {
    let (certificate, key) = (args.tls_cert.clone()?, args.tls_key.clone()?);
    Some(TlsFiles::new(certificate, key, |message| eprint_line!("loopbreak: {message}")))
}

/// Takes a store in a file for this server. Other stores are shared.
fn lock(url: &ServiceStoreUrl) -> Result<Option<File>, UserError> {
    match url {
        ServiceStoreUrl::Sqlite(path) => {
            create_parent_folder(path)?;
            lock_store_file(path).map(Some).map_err(|error| user_error(&error))
        }
        #[cfg(feature = "postgres")]
        ServiceStoreUrl::Postgres(_) => Ok(None),
    }
}

/// Opens the page of the server. The code that lets the browser in goes through a private file: every user of the machine can
/// read the arguments of a program.
fn open_browser(started: &StartedService) {
    let Some(url) = started.browser_url() else { return };
    let page = format!(
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={url}\"><a href=\"{url}\">Loopbreak</a>\n"
    );
    let opened = write_private_page(&page).map_err(|error| error.to_string());
    let opened = opened.and_then(|path| open_page(&path).map_err(|error| error.to_string()));
    if let Err(error) = opened {
        eprint_line!("loopbreak: {error}; open {url} in a browser, within five minutes");
    }
}

/// Chooses the token of the owner, and says which one it is. It is never read from the command line, where every user of the
/// machine could see it.
fn choose_token(args: &ServeArgs) -> Result<(Option<BearerToken>, String), UserError> {
    if args.no_token {
        if !args.http.ip().is_loopback() {
            return Err(user_error(&ServeError::NeedsToken(args.http)));
        }
        let note = "loopbreak: warning: no token is required, so every user of this machine can read and change all runs";
        return Ok((None, note.to_owned()));
    }
    let (token, source) = token_of_owner(args)?;
    Ok((
        Some(token),
        format!(
            "loopbreak: the token of the owner is in {source}; `loopbreak serve --print-token` prints it"
        ),
    ))
}

/// Returns the token of the owner, and where it is.
fn token_of_owner(args: &ServeArgs) -> Result<(BearerToken, String), UserError> {
    if let Some(file) = &args.token_file {
        let token = BearerToken::read(file).map_err(|error| invalid_token(&error))?;
        return Ok((token, file.display().to_string()));
    }
    if let Some(text) = std::env::var(TOKEN_VARIABLE).ok().filter(|text| !text.is_empty()) {
        let token = BearerToken::new(&text)
            .map_err(|error| invalid_token(&format!("invalid token in {TOKEN_VARIABLE}: {error}")))?;
        return Ok((token, TOKEN_VARIABLE.to_owned()));
    }
    if !args.http.ip().is_loopback() {
        return Err(user_error(&ServeError::NeedsToken(args.http)));
    }
    let path = state_file(TOKEN_FILE)?;
    let token = BearerToken::read_or_create(&path).map_err(UserError::failed)?;
    Ok((token, path.display().to_string()))
}

fn invalid_token(error: &str) -> UserError {
    UserError::usage(error).hint("`openssl rand -hex 32` generates one")
}

fn user_error(error: &ServeError) -> UserError {
    match error {
        ServeError::NeedsToken(_) => UserError::usage(error.to_string())
            .hint(format!("set --token-file or {TOKEN_VARIABLE}, or listen on 127.0.0.1")),
        ServeError::NeedsTls(_) => UserError::usage(error.to_string())
            .hint("use --tls-cert and --tls-key, or --behind-proxy with a proxy that has TLS, or listen on 127.0.0.1"),
        ServeError::Tls(error) => UserError::usage(error.to_string()).hint(error.hint()),
        ServeError::StoreLock { .. } => {
            UserError::failed(error.to_string()).hint("end the other server, or use another --store")
        }
        ServeError::Config(_) => UserError::usage(error.to_string()),
        _ => UserError::failed(error.to_string()),
    }
}
