//! The scripted model over HTTP, in each of its protocols.
#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;

use loopbreak_hooks::scripted_model::{
    ConversationEntry, ModelAnswer, ModelProtocol, ModelRequest, ScriptedCall, ScriptedDeed, ScriptedServer,
    ToolDialect,
};
use serde_json::{Value, json};

/// Sends a request and returns the status and the body of the reply.
fn post(model: &ScriptedServer, path: &str, body: &Value) -> (u16, String) {
    let address = model.url().replace("http://", "");
    let mut connection = TcpStream::connect(address).unwrap();
    let body = body.to_string();
    write!(connection, "POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{body}", body.len())
        .unwrap();
    let mut reply = String::new();
    connection.read_to_string(&mut reply).unwrap();
    let (head, body) = reply.split_once("\r\n\r\n").unwrap();
    (head[9..12].parse().unwrap(), body.to_owned())
}

fn post_json(model: &ScriptedServer, path: &str, body: &Value) -> Value {
    let (status, text) = post(model, path, body);
    assert_eq!(status, 200, "{text}");
    serde_json::from_str(&text).unwrap()
}

/// Sends a request and returns the events of the stream. The end mark of chat completions is a string.
fn post_stream(model: &ScriptedServer, path: &str, body: &Value) -> Vec<Value> {
    let (status, text) = post(model, path, body);
    assert_eq!(status, 200, "{text}");
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.map(|data| serde_json::from_str(data).unwrap_or_else(|_| data.into())).collect()
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

/// A model that says something and makes two calls.
fn two_calls() -> ScriptedServer {
    let dialect: ToolDialect = "claude-code".parse().unwrap();
    ScriptedServer::start(move |_: &ModelRequest| {
        let calls = ["ls", "pwd"].map(|command| dialect.call(&ScriptedDeed::shell(command)));
        ModelAnswer { text: "Let me look.".to_owned(), ..ModelAnswer::call(calls) }.with_input_tokens(77)
    })
    .unwrap()
}

#[test]
fn messages_of_anthropic_are_streamed() {
    let model = two_calls();
    let events =
        post_stream(&model, "/v1/messages?beta=true", &json!({"model": "m", "stream": true, "messages": []}));
    let block = ["content_block_start", "content_block_delta", "content_block_stop"];
    let expected =
        [&["message_start"], &block[..], &block, &block, &["message_delta", "message_stop"]].concat();
    assert_eq!(types(&events), expected);
    assert_eq!(events[0]["message"]["usage"]["input_tokens"], 77);
    assert_eq!(events[2]["delta"]["text"], "Let me look.");
    assert_eq!(
        (&events[4]["content_block"]["name"], &events[4]["content_block"]["input"]),
        (&"Bash".into(), &json!({}))
    );
    let input: Value = serde_json::from_str(events[5]["delta"]["partial_json"].as_str().unwrap()).unwrap();
    assert_eq!(input["command"], "ls");
    assert_ne!(events[4]["content_block"]["id"], events[7]["content_block"]["id"]);
    assert_eq!(events[10]["delta"]["stop_reason"], "tool_use");
}

#[test]
fn messages_of_anthropic_may_be_plain_and_tokens_are_counted() {
    let model = two_calls();
    let message = post_json(&model, "/v1/messages", &json!({"model": "m", "messages": []}));
    assert_eq!((&message["type"], &message["model"]), (&"message".into(), &"m".into()));
    assert_eq!(message["content"][2]["input"]["command"], "pwd");
    let count = post_json(&model, "/v1/messages/count_tokens", &json!({"messages": []}));
    assert!(count["input_tokens"].is_u64(), "{count}");
    assert_eq!(model.request_count(), 1, "counting tokens is not a request for an answer");
}

#[test]
fn responses_of_openai_are_streamed() {
    let model = two_calls();
    let events = post_stream(&model, "/v1/responses", &json!({"model": "m", "stream": true, "input": []}));
    let item = ["response.output_item.added", "response.output_item.done"];
    let text = ["response.output_item.added", "response.output_text.delta", "response.output_item.done"];
    let expected = [&["response.created"], &text[..], &item, &item, &["response.completed"]].concat();
    assert_eq!(types(&events), expected);
    let call = &events[5]["item"];
    assert_eq!((&call["type"], &call["name"]), (&"function_call".into(), &"Bash".into()));
    assert!(call["arguments"].as_str().unwrap().contains("\"ls\""), "{call}");
    let whole = &events[8]["response"];
    assert_eq!((whole["output"].as_array().unwrap().len(), &whole["usage"]["input_tokens"]), (3, &77.into()));
}

#[test]
fn tools_of_codex_may_take_plain_text_and_belong_to_a_group() {
    let dialect: ToolDialect = "codex".parse().unwrap();
    let model = ScriptedServer::start(move |_: &ModelRequest| {
        let edit = ScriptedDeed::EditFile { path: "a".into(), old: "b".into(), new: "c".into() };
        ModelAnswer::call(
            [edit, ScriptedDeed::Subagent { prompt: "go".into() }].map(|deed| dialect.call(&deed)),
        )
    })
    .unwrap();
    let response = post_json(&model, "/v1/responses", &json!({"model": "m", "input": "hi"}));
    assert_eq!(response["output"][0]["type"], "custom_tool_call");
    assert!(response["output"][0]["input"].as_str().unwrap().contains("\n-b\n+c\n"), "{response}");
    assert_eq!(response["output"][1]["namespace"], "collaboration");
}

#[test]
fn chat_completions_are_streamed_or_plain() {
    let model = two_calls();
    let chunks =
        post_stream(&model, "/v1/chat/completions", &json!({"model": "m", "stream": true, "messages": []}));
    assert_eq!(chunks[0]["choices"][0]["delta"]["content"], "Let me look.");
    let second = &chunks[2]["choices"][0]["delta"]["tool_calls"][0];
    assert_eq!((&second["index"], &second["function"]["name"]), (&1.into(), &"Bash".into()));
    assert_eq!(chunks[3]["choices"][0]["finish_reason"], "tool_calls");
    assert_eq!(chunks[4]["usage"]["prompt_tokens"], 77);
    assert_eq!(chunks[5], "[DONE]");
    let plain = post_json(&model, "/v1/chat/completions", &json!({"model": "m", "messages": []}));
    assert_eq!(plain["choices"][0]["message"]["tool_calls"].as_array().unwrap().len(), 2);
}

#[test]
fn content_of_gemini_is_streamed_or_plain_and_tokens_are_counted() {
    let model = two_calls();
    let path = "/v1beta/models/m";
    let streamed =
        post_stream(&model, &format!("{path}:streamGenerateContent?alt=sse"), &json!({"contents": []}));
    let plain = post_json(&model, &format!("{path}:generateContent"), &json!({"contents": []}));
    for content in [&streamed[0], &plain] {
        let parts = content["candidates"][0]["content"]["parts"].as_array().unwrap();
        assert_eq!(parts[0]["text"], "Let me look.");
        assert_eq!(parts[2]["functionCall"]["args"]["command"], "pwd");
        assert_eq!(content["usageMetadata"]["promptTokenCount"], 77);
    }
    let count = post_json(&model, &format!("{path}:countTokens"), &json!({"contents": []}));
    assert!(count["totalTokens"].is_u64(), "{count}");
}

/// The same conversation in the words of each protocol.
fn conversations() -> [(ModelProtocol, &'static str, Value); 4] {
    [
        (
            ModelProtocol::AnthropicMessages,
            "/v1/messages",
            json!({"system": [{"type": "text", "text": "Be brief."}], "tools": [{"name": "sh"}], "messages": [
                {"role": "user", "content": "hello"},
                {"role": "assistant", "content": [{"type": "text", "text": "hi"},
                    {"type": "tool_use", "id": "1", "name": "sh", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1",
                    "content": [{"type": "text", "text": "done"}]}]},
            ]}),
        ),
        (
            ModelProtocol::OpenAiResponses,
            "/v1/responses",
            json!({"instructions": "Be brief.", "tools": [{"type": "function", "name": "sh"}], "input": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hello"}]},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "hi"}]},
                {"type": "function_call", "call_id": "1", "name": "sh", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "1", "output": "done"},
            ]}),
        ),
        (
            ModelProtocol::OpenAiChat,
            "/v1/chat/completions",
            json!({"tools": [{"type": "function", "function": {"name": "sh"}}], "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": [{"type": "text", "text": "hello"}]},
                {"role": "assistant", "content": "hi",
                    "tool_calls": [{"id": "1", "type": "function", "function": {"name": "sh", "arguments": "{}"}}]},
                {"role": "tool", "tool_call_id": "1", "content": "done"},
            ]}),
        ),
        (
            ModelProtocol::GeminiContent,
            "/v1beta/models/m:generateContent",
            json!({"systemInstruction": {"parts": [{"text": "Be brief."}]},
                "tools": [{"functionDeclarations": [{"name": "sh"}]}], "contents": [
                {"role": "user", "parts": [{"text": "hello"}]},
                {"role": "model", "parts": [{"text": "hi"}, {"functionCall": {"id": "1", "name": "sh", "args": {}}}]},
                {"role": "user", "parts": [{"functionResponse": {"id": "1", "name": "sh",
                    "response": {"output": "done"}}}]},
            ]}),
        ),
    ]
}

#[test]
fn a_script_sees_the_same_conversation_in_every_protocol() {
    let model = ScriptedServer::start(|request: &ModelRequest| {
        let results = request.conversation.results().count();
        ModelAnswer::say(format!("{results} results"))
    })
    .unwrap();
    for (_, path, body) in &conversations() {
        assert!(post(&model, path, body).1.contains("1 results"), "{path}");
    }
    let expected = [
        ConversationEntry::Instructions("Be brief.".into()),
        ConversationEntry::User("hello".into()),
        ConversationEntry::Model("hi".into()),
        ConversationEntry::Call { id: "1".into(), tool: "sh".into() },
        ConversationEntry::Result { id: "1".into(), text: "done".into() },
    ];
    let exchanges = model.exchanges();
    for (exchange, (protocol, path, body)) in exchanges.iter().zip(conversations()) {
        assert_eq!((exchange.request.protocol, &exchange.request.body), (protocol, &body));
        assert_eq!(exchange.request.conversation.entries, expected, "{path}");
        assert_eq!(exchange.request.conversation.tools, ["sh"], "{path}");
    }
}

#[test]
fn requests_in_parallel_are_answered_one_after_the_other() {
    let mut count = 0;
    let model = ScriptedServer::start(move |_: &ModelRequest| {
        count += 1;
        ModelAnswer::say(format!("answer {count}."))
    })
    .unwrap();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| post_json(&model, "/v1/messages", &json!({"messages": []})));
        }
    });
    let texts: Vec<String> = model.exchanges().into_iter().map(|exchange| exchange.answer.text).collect();
    assert_eq!(texts, (1..=8).map(|count| format!("answer {count}.")).collect::<Vec<_>>());
}

#[test]
fn other_paths_are_not_found_and_a_broken_body_is_an_empty_conversation() {
    let model = ScriptedServer::start(|_: &ModelRequest| ModelAnswer::say("x")).unwrap();
    assert_eq!(post(&model, "/v1/models", &json!({})).0, 404);
    assert_eq!(post(&model, "/", &json!({})).0, 200);
    assert_eq!(post(&model, "/v1/messages", &json!("not an object")).0, 200);
    assert!(model.exchanges()[0].request.conversation.entries.is_empty());
}

#[test]
fn a_dropped_model_does_not_answer() {
    let model = ScriptedServer::start(|_: &ModelRequest| ModelAnswer::say("x")).unwrap();
    let address = model.url().replace("http://", "");
    drop(model);
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn every_dialect_has_a_call_for_every_deed() {
    for agent in ["claude-code", "codex", "codex-code", "gemini", "opencode", "qwen"] {
        let dialect: ToolDialect = agent.parse().unwrap();
        let path = || "/a".to_owned();
        let deeds = [
            ScriptedDeed::Shell { command: "ls".into(), background: true },
            ScriptedDeed::ReadFile { path: path() },
            ScriptedDeed::EditFile { path: path(), old: "b".into(), new: "c".into() },
            ScriptedDeed::Subagent { prompt: "go".into() },
            ScriptedDeed::AwaitSubagent,
            ScriptedDeed::WrongArguments,
            ScriptedDeed::UnknownTool,
        ];
        let calls: Vec<ScriptedCall> = deeds.iter().map(|deed| dialect.call(deed)).collect();
        assert!(calls.iter().all(|call| !call.tool.is_empty()), "{agent}: {calls:?}");
        assert_eq!(calls[0].tool, calls[5].tool, "{agent}: wrong arguments go to the tool for commands");
    }
    assert!("nobody".parse::<ToolDialect>().unwrap_err().to_string().contains("claude-code, cline, codex"));
}
