//! Sends arbitrary lines to the MCP server as its client would, before or after the handshake. It has to answer a request that
//! follows.

#![no_main]

use libfuzzer_sys::fuzz_target;
use loopbreak::Settings;
use loopbreak_server::mcp::{McpOptions, serve_stream};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::runtime::Builder;

/// The id of the request that has to be answered. Inputs are unlikely to use it.
const LAST_REQUEST: u64 = 8_242_631_977;

fn handshake() -> String {
    let client = json!({"name": "fuzz", "version": "1"});
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    let initialize = json!({"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": params});
    format!("{initialize}\n{}\n", json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
}

fuzz_target!(|data: &[u8]| {
    let (is_early, lines) = match data.split_first() {
        Some((b'<', lines)) => (true, lines),
        _ => (false, data),
    };
    let store = tempfile::tempdir().expect("a folder for the store");
    let options = McpOptions {
        settings: Settings::default(),
        store: store.path().join("fuzz.db").as_path().into(),
        folder: String::new(),
        run: Some("fuzz".to_owned()),
    };
    let mut input = Vec::new();
    if !is_early {
        input.extend_from_slice(handshake().as_bytes());
    }
    input.extend_from_slice(lines);
    input.push(b'\n');
    if is_early {
        input.extend_from_slice(handshake().as_bytes());
    }
    let last = json!({"jsonrpc": "2.0", "id": LAST_REQUEST, "method": "tools/list"});
    input.extend_from_slice(format!("{last}\n").as_bytes());
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async move {
        let (client, server) = tokio::io::duplex(1 << 20);
        let (from_client, to_client) = tokio::io::split(server);
        let served = tokio::spawn(serve_stream(options, from_client, to_client));
        let (answers, mut requests) = tokio::io::split(client);
        let sent = tokio::spawn(async move {
            // The server may leave while it is sent something.
            let _ = requests.write_all(&input).await;
            requests
        });
        let mut answers = BufReader::new(answers).lines();
        loop {
            let line = answers.next_line().await.expect("a stream").expect("the server left");
            let answer: Value = serde_json::from_str(&line).expect("answers are JSON");
            if answer["id"] == LAST_REQUEST {
                break;
            }
        }
        drop(sent.await);
        drop(answers);
        _ = served.await;
    });
});
