//! Calls every MCP tool with arbitrary JSON as its arguments, over a connection in memory.

#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use loopbreak::Settings;
use loopbreak_server::mcp::{McpOptions, serve_stream};
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::runtime::{Builder, Runtime};

/// Number of inputs for one server. Its store grows with each of them.
const INPUTS_PER_SERVER: u32 = 500;

/// A server and the client's side of its connection.
struct McpConnection {
    runtime: Runtime,
    answers: BufReader<ReadHalf<DuplexStream>>,
    requests: WriteHalf<DuplexStream>,
    tools: Vec<String>,
    last_id: u64,
    inputs: u32,
    _store: TempDir,
}

impl McpConnection {
    fn open() -> Self {
        let store = tempfile::tempdir().unwrap();
        let options = McpOptions {
            settings: Settings::default(),
            store: store.path().join("fuzz.db").as_path().into(),
            folder: String::new(),
            run: Some("fuzz".to_owned()),
        };
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let (client, server) = tokio::io::duplex(1 << 20);
        let (input, output) = tokio::io::split(server);
        runtime.spawn(async move { serve_stream(options, input, output).await.unwrap() });
        let (answers, requests) = tokio::io::split(client);
        let answers = BufReader::new(answers);
        let mut connection =
            McpConnection { runtime, answers, requests, tools: Vec::new(), last_id: 0, inputs: 0, _store: store };
        let client = json!({"name": "fuzz", "version": "1"});
        connection.request(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}),
        );
        connection.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let list = connection.request("tools/list", json!({}));
        let tools = list["result"]["tools"].as_array().unwrap().iter();
        connection.tools = tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
        connection
    }

    fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.runtime.block_on(self.requests.write_all(line.as_bytes())).unwrap();
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            let length = self.runtime.block_on(self.answers.read_line(&mut line)).unwrap();
            assert_ne!(length, 0, "the server left");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == self.last_id {
                return answer;
            }
        }
    }

    /// Calls every tool with the same arguments. An error is a valid answer if it says what is wrong.
    fn call_all(&mut self, arguments: &Map<String, Value>) {
        self.inputs += 1;
        for tool in self.tools.clone() {
            let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
            let result = &answer["result"];
            if result["isError"] == true {
                assert!(result["content"][0]["text"].as_str().is_some_and(|text| text.len() > 10), "{answer}");
            } else {
                assert!(result["structuredContent"].is_object(), "{tool}: {answer}");
            }
        }
    }
}

thread_local! {
    static CONNECTION: RefCell<Option<McpConnection>> = const { RefCell::new(None) };
}

fuzz_target!(|data: &[u8]| {
    let Ok(arguments) = serde_json::from_slice::<Map<String, Value>>(data) else { return };
    CONNECTION.with_borrow_mut(|connection| {
        if connection.as_ref().is_some_and(|connection| connection.inputs >= INPUTS_PER_SERVER) {
            *connection = None;
        }
        connection.get_or_insert_with(McpConnection::open).call_all(&arguments);
    });
});
