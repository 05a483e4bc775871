//! The arguments of `loopbreak mcp`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use crate::args::ConfigOptions;

/// Serve agents and orchestrators over MCP.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  claude mcp add loopbreak -- loopbreak mcp     Add it to Claude Code
  codex mcp add loopbreak -- loopbreak mcp      Add it to Codex CLI
  gemini mcp add loopbreak loopbreak mcp        Add it to Gemini CLI
  loopbreak mcp --http                          At http://127.0.0.1:8722/mcp
  loopbreak mcp --print-token                   The token that clients send
  loopbreak mcp --http 0.0.0.0:8722 --token-file token.txt \\
    --allow-host build.example

Without --http, it serves the program that started it over standard input and
output. Over HTTP, clients have to send a token: that of --token-file or of
LOOPBREAK_TOKEN, or one that is made up and kept in a private file. The MCP
guide describes the tools.

Exit codes:
  0 the client left, or SIGTERM ended it; 1 failed;
  2 wrong usage or configuration; 130 interrupted")]
pub(crate) struct McpArgs {
    /// Serve over HTTP at this address instead of standard input and output
    ///
    /// An address that other machines can reach requires `--token-file` or `LOOPBREAK_TOKEN`.
    #[arg(
        long,
        value_name = "ADDRESS",
        num_args = 0..=1,
        default_missing_value = "127.0.0.1:8722",
        value_parser = parse_address
    )]
    pub(super) http: Option<SocketAddr>,
    /// Read the token that clients have to send from this file
    ///
    /// Without it, a token is made up once and kept in a private file beside the store.
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(super) token_file: Option<PathBuf>,
    /// Accept clients without a token
    ///
    /// Every user of this machine can then read and change the runs of this server. Not for addresses that other machines
    /// can reach.
    #[arg(long, requires = "http", conflicts_with = "token_file")]
    pub(super) no_token: bool,
    /// Print the token that clients of `--http` have to send, and exit
    #[arg(long, conflicts_with_all = ["http", "run"])]
    pub(super) print_token: bool,
    /// Show HTTP clients all runs, also sessions of hooks [default: only those recorded over MCP]
    #[arg(long, requires = "http")]
    pub(super) all_runs: bool,
    /// Accept this host name in requests; can be repeated
    #[arg(long, value_name = "NAME", requires = "http")]
    pub(super) allow_host: Vec<String>,
    /// Accept requests of web pages with this origin, such as `http://localhost:6274`; can be repeated
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub(super) allow_origin: Vec<String>,
    /// Run of calls that name none [default: one run per connection]
    #[arg(long, value_name = "NAME")]
    pub(super) run: Option<String>,
    #[command(flatten)]
    pub(super) config: ConfigOptions,
}

fn parse_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "write it like 127.0.0.1:8722, with an IP address and a port".to_owned())
}
