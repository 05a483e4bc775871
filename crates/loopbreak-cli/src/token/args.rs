//! The arguments of `loopbreak token`.

use std::time::Duration;

use clap::{Args, Subcommand};
use loopbreak_server::service::ProjectName;
use loopbreak_store::service::TokenScope;

use crate::service_store_option::ServiceStoreOption;
use crate::value_parsers::parse_duration;

/// Make, list and revoke tokens of the service.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak token create --scope ingest                 For an agent
  loopbreak token create --project web --scope ingest --scope read
  loopbreak token list
  loopbreak token revoke 1a2b3c4d5e

A token reaches the runs of one project. The server need not run; one that runs
knows a new token at once, and forgets a revoked one within two seconds.

Exit codes:
  0 done; 1 failed; 2 wrong usage, or no such token")]
pub(crate) struct TokenArgs {
    #[command(subcommand)]
    pub(super) command: TokenCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum TokenCommand {
    /// Make a token and print it
    ///
    /// It is printed once. Only its hash is stored.
    #[command(after_help = "\
Examples:
  loopbreak token create --scope ingest --note \"build machine\"
  loopbreak token create --project web --scope read --expires 30d")]
    Create {
        /// Use of the token: ingest, read or admin; can be repeated [default: ingest]
        #[arg(long, value_name = "SCOPE")]
        scope: Vec<TokenScope>,
        /// Project whose runs it reaches
        #[arg(long, value_name = "NAME", default_value_t)]
        project: ProjectName,
        /// Time after which it is refused, such as `30d` [default: never]
        #[arg(long, value_name = "TIME", value_parser = parse_duration)]
        expires: Option<Duration>,
        /// Note about its purpose
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        note: String,
        #[command(flatten)]
        store: ServiceStoreOption,
    },
    /// List the tokens
    #[command(after_help = "\
Examples:
  loopbreak token list")]
    List {
        #[command(flatten)]
        store: ServiceStoreOption,
    },
    /// Revoke a token
    #[command(after_help = "\
Examples:
  loopbreak token revoke 1a2b3c4d5e")]
    Revoke {
        /// Id of the token, as `list` shows it
        id: String,
        #[command(flatten)]
        store: ServiceStoreOption,
    },
}
