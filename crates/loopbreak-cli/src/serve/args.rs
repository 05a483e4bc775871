//! The arguments of `loopbreak serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::args::ConfigOptions;
use crate::service_store_option::ServiceStoreOption;
use crate::value_parsers::parse_duration;

/// Serve agents of many machines over HTTP.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak serve --open                        Start, and open the page
  loopbreak serve --print-token                 The token of the owner
  loopbreak serve --http 0.0.0.0:8723 --token-file token.txt \\
    --tls-cert fullchain.pem --tls-key privkey.pem \\
    --allow-host loops.example                  For other machines, with TLS
  loopbreak token create --scope ingest         A token for an agent

Clients have to send a token: that of --token-file or of LOOPBREAK_TOKEN, one
that is made up and kept in a private file, or one of `loopbreak token create`.
GET /openapi.json describes the API. The service guide describes the rest.

Exit codes:
  0 SIGTERM ended it; 1 failed; 2 wrong usage or configuration;
  130 interrupted")]
pub(crate) struct ServeArgs {
    /// Address to listen on
    ///
    /// An address that other machines can reach requires `--token-file` or `LOOPBREAK_TOKEN`, and TLS
    /// (`--tls-cert` and `--tls-key`, or `--behind-proxy`).
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8723")]
    pub(super) http: SocketAddr,
    /// Take telemetry over gRPC on this address, such as `127.0.0.1:4317`
    ///
    /// Telemetry over HTTP is taken on the address of `--http`, at `/v1/traces` and `/v1/logs`.
    #[arg(long, value_name = "ADDRESS")]
    pub(super) otlp_grpc: Option<SocketAddr>,
    #[command(flatten)]
    pub(super) store: ServiceStoreOption,
    /// Open the page of the server in the browser
    #[arg(long)]
    pub(super) open: bool,
    /// Delete runs that were not seen for this long, such as `90d`; 0 to keep them
    #[arg(long, value_name = "TIME", default_value = "90d", value_parser = parse_duration)]
    pub(super) keep: Duration,
    /// Read the token of the owner from this file
    ///
    /// Without it, a token is made up once and kept in a private file beside the store.
    #[arg(long, value_name = "FILE")]
    pub(super) token_file: Option<PathBuf>,
    /// Accept clients without a token
    ///
    /// Every user of this machine can then read and change all runs. Not for addresses that other machines can reach.
    #[arg(long, conflicts_with = "token_file")]
    pub(super) no_token: bool,
    /// Print the token of the owner, and exit
    #[arg(long)]
    pub(super) print_token: bool,
    /// Speak TLS with the certificate in this PEM file, followed by those of its issuers
    ///
    /// It is used for telemetry over gRPC too. The files are read again when they change and on SIGHUP, so a renewed certificate
    /// needs no restart.
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub(super) tls_cert: Option<PathBuf>,
    /// PEM file with the private key of the certificate, which other users must not be able to read
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub(super) tls_key: Option<PathBuf>,
    /// A proxy in front of the server has TLS
    #[arg(long)]
    pub(super) behind_proxy: bool,
    /// Accept this host name in requests; can be repeated
    #[arg(long, value_name = "NAME")]
    pub(super) allow_host: Vec<String>,
    /// Accept requests of web pages with this origin, such as `https://loops.example`; can be repeated
    #[arg(long, value_name = "ORIGIN")]
    pub(super) allow_origin: Vec<String>,
    /// Number of steps and requests per second that a token may send
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub(super) rate: u32,
    /// Largest number of runs in memory; others are restored from the store when they continue
    #[arg(long, value_name = "N", default_value_t = 4096)]
    pub(super) max_guards: usize,
    /// Largest number of steps that wait; more are refused with status 429
    #[arg(long, value_name = "N", default_value_t = 4000)]
    pub(super) max_queued: usize,
    #[command(flatten)]
    pub(super) config: ConfigOptions,
}
