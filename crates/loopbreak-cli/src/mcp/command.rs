//! Starts the server.

use std::io::IsTerminal as _;
use std::net::SocketAddr;
use std::path::PathBuf;

use loopbreak_server::mcp::{
    BearerToken, HttpOptions, McpOptions, ServeEnd, ServeError, serve_http, serve_stdio_asking,
};
use loopbreak_store::{create_parent_folder, default_path};

use super::args::McpArgs;
use crate::config_loading::{self, TOKEN_VARIABLE};
use crate::error::UserError;
use crate::store::user_store;
use crate::{exit, output, server_connection};

/// Name of the file with the token that is made up, beside the store.
const TOKEN_FILE: &str = "mcp-token";

pub(crate) fn run(args: &McpArgs) -> Result<u8, UserError> {
    if args.print_token {
        let (token, _) = token_of_user()?;
        output::print(&format!("{}\n", token.expose()))?;
        return Ok(exit::DONE);
    }
    let settings = config_loading::guarded_settings(&args.config)?;
    let store = user_store()?;
    if args.run.as_deref().is_some_and(|run| run.trim().is_empty()) {
        return Err(
            UserError::usage("--run has no name").hint("without --run, each connection has its own run")
        );
    }
    let folder = std::env::current_dir().map(|folder| folder.display().to_string()).unwrap_or_default();
    let options = McpOptions { settings, store, folder, run: args.run.clone() };
    let end = match args.http {
        None => {
            if std::io::stdin().is_terminal() {
                eprint_line!(
                    "loopbreak: waiting for an MCP client on standard input; see `loopbreak mcp --help`"
                );
            }
            let link = server_connection::connect(&options.settings).unwrap_or_else(|error| {
                // The agent needs its tools more than the service.
                output::print_warning(&output::printable(&format!("the service is not asked: {error}")));
                None
            });
            serve_stdio_asking(options, link)
        }
        Some(address) => {
            let (token, note) = choose_token(args, address)?;
            let http = HttpOptions {
                address,
                token,
                all_runs: args.all_runs,
                hosts: args.allow_host.clone(),
                origins: args.allow_origin.clone(),
            };
            let ready = |address| eprint_line!("loopbreak: serving at http://{address}/mcp\n{note}");
            serve_http(options, http, ready)
        }
    };
    match end.map_err(|error| user_error(&error))? {
        ServeEnd::Interrupted => Ok(exit::INTERRUPTED),
        _ => Ok(exit::DONE),
    }
}

/// Chooses the token of a server, and says which one it is. It is never read from the command line, where every user of
/// the machine could see it.
fn choose_token(args: &McpArgs, address: SocketAddr) -> Result<(Option<BearerToken>, String), UserError> {
    if args.no_token {
        if !address.ip().is_loopback() {
            return Err(UserError::usage(format!(
                "{address} can be reached from other machines, so a token is required"
            ))
            .hint("leave out --no-token, or listen on 127.0.0.1"));
        }
        let note = "loopbreak: warning: no token is required, so every user of this machine can read and change these runs";
        return Ok((None, note.to_owned()));
    }
    if let Some(file) = &args.token_file {
        let token = BearerToken::read(file).map_err(|error| invalid_token(&error))?;
        return Ok((Some(token), format!("loopbreak: clients have to send the token in {}", file.display())));
    }
    if let Some(token) = token_of_environment()? {
        return Ok((Some(token), format!("loopbreak: clients have to send the token in {TOKEN_VARIABLE}")));
    }
    if !address.ip().is_loopback() {
        // `serve_http` says that one is needed.
        return Ok((None, String::new()));
    }
    let (token, path) = token_of_user()?;
    let note = format!(
        "loopbreak: clients have to send the token in {}; `loopbreak mcp --print-token` prints it",
        path.display()
    );
    Ok((Some(token), note))
}

fn token_of_environment() -> Result<Option<BearerToken>, UserError> {
    let Some(text) = std::env::var(TOKEN_VARIABLE).ok().filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let token = BearerToken::new(&text);
    token.map(Some).map_err(|error| invalid_token(&format!("invalid token in {TOKEN_VARIABLE}: {error}")))
}

/// Returns the token that is made up for the user's servers, and its file. All of them have the same, so that clients keep
/// working when a server starts again.
fn token_of_user() -> Result<(BearerToken, PathBuf), UserError> {
    let store = default_path(|name| std::env::var_os(name));
    let store = store.ok_or_else(|| {
        UserError::failed("no folder found for the token")
            .hint("set XDG_STATE_HOME or HOME, or use --token-file")
    })?;
    create_parent_folder(&store)?;
    let path = store.with_file_name(TOKEN_FILE);
    let token = BearerToken::read_or_create(&path).map_err(UserError::failed)?;
    Ok((token, path))
}

fn invalid_token(error: &str) -> UserError {
    UserError::usage(error).hint("`openssl rand -hex 32` generates one")
}

fn user_error(error: &ServeError) -> UserError {
    match error {
        ServeError::NeedsToken(_) => UserError::usage(error.to_string())
            .hint(format!("set --token-file or {TOKEN_VARIABLE}, or listen on 127.0.0.1")),
        ServeError::Config(_) => UserError::usage(error.to_string()),
        _ => UserError::failed(error.to_string()),
    }
}
