//! The arguments of `loopbreak mcp`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use crate::args::ConfigOptions;

/// Serve agents and orchestrators over MCP.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  claude mcp add loopbreak -- loopbreak mcp          Claude Code starts it when it needs it
  codex mcp add loopbreak -- loopbreak mcp           The same for Codex CLI
  gemini mcp add loopbreak loopbreak mcp             The same for Gemini CLI
  loopbreak mcp --http                               Many clients, at http://127.0.0.1:8722/mcp
  loopbreak mcp --http 0.0.0.0:8722 --token-file token.txt --allow-host build.example

Without --http it serves the program that started it, over standard input and output.
LOOPBREAK_TOKEN may hold the token instead of a file. See the guide on MCP for the tools.

Exit codes:
  0 its client left, or SIGTERM ended it; 1 failed; 2 used or configured wrongly; 130 interrupted")]
pub(crate) struct McpArgs {
    /// Serve over HTTP at this address instead of standard input and output
    ///
    /// An address that other machines can reach needs a token.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:8722")]
    pub(super) http: Option<SocketAddr>,
    /// Read the token that clients have to give from this file
    #[arg(long, value_name = "FILE", requires = "http")]
    pub(super) token_file: Option<PathBuf>,
    /// A further name under which clients ask for this server; may be given again
    #[arg(long, value_name = "NAME", requires = "http")]
    pub(super) allow_host: Vec<String>,
    /// Let pages of this origin ask, such as `http://localhost:6274`; may be given again
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub(super) allow_origin: Vec<String>,
    /// The run of calls that name none; without it, each connection has one of its own
    #[arg(long, value_name = "NAME")]
    pub(super) run: Option<String>,
    #[command(flatten)]
    pub(super) config: ConfigOptions,
}
