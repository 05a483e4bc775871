//! Starts the server.

use std::io::IsTerminal as _;
use std::path::Path;

use loopbreak_config::read_limited_file;
use loopbreak_server::mcp::{
    BearerToken, HttpOptions, McpOptions, ServeEnd, ServeError, serve_http, serve_stdio,
};

use super::args::McpArgs;
use crate::config_loading::{self, TOKEN_VARIABLE};
use crate::error::UserError;
use crate::exit;
use crate::store::user_store;

pub(crate) fn run(args: &McpArgs) -> Result<u8, UserError> {
    let settings = config_loading::settings_in(&args.config, Path::new("."))?;
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
                anstream::eprintln!(
                    "loopbreak: waiting for an MCP client on standard input; see `loopbreak mcp --help`"
                );
            }
            serve_stdio(options)
        }
        Some(address) => {
            let http = HttpOptions {
                address,
                token: read_token(args)?,
                hosts: args.allow_host.clone(),
                origins: args.allow_origin.clone(),
            };
            let ready = |address| anstream::eprintln!("loopbreak: serving at http://{address}/mcp");
            serve_http(options, http, ready)
        }
    };
    match end.map_err(|error| user_error(&error))? {
        ServeEnd::Interrupted => Ok(exit::INTERRUPTED),
        _ => Ok(exit::DONE),
    }
}

/// The largest token file that is read, in bytes.
const MAX_TOKEN_BYTES: u64 = 64 * 1024;

/// Reads the token from a file or the environment. On the command line, every user of the machine could read it.
fn read_token(args: &McpArgs) -> Result<Option<BearerToken>, UserError> {
    let (text, origin) = match &args.token_file {
        Some(file) => {
            let failed = |why: &dyn std::fmt::Display| {
                UserError::usage(format!("cannot read the token file {}: {why}", file.display()))
            };
            let bytes = read_limited_file(file, MAX_TOKEN_BYTES).map_err(|error| failed(&error))?;
            let text = String::from_utf8(bytes).map_err(|_| failed(&"not UTF-8"))?;
            (text, file.display().to_string())
        }
        None => match std::env::var(TOKEN_VARIABLE) {
            Ok(text) if !text.is_empty() => (text, TOKEN_VARIABLE.to_owned()),
            _ => return Ok(None),
        },
    };
    let token = BearerToken::new(&text).map_err(|error| {
        UserError::usage(format!("invalid token in {origin}: {error}"))
            .hint("`openssl rand -hex 32` generates one")
    })?;
    Ok(Some(token))
}

fn user_error(error: &ServeError) -> UserError {
    match error {
        ServeError::NeedsToken(_) => UserError::usage(error.to_string())
            .hint(format!("set --token-file or {TOKEN_VARIABLE}, or listen on 127.0.0.1")),
        ServeError::Config(_) => UserError::usage(error.to_string()),
        _ => UserError::failed(error.to_string()),
    }
}
