//! `loopbreak mcp --http`: who may call it, and what a client that behaves badly can do to the others.

#![cfg(unix)]

use std::io::Write as _;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::hooks::HookHome;
use crate::support::served_mcp::{HttpAnswer, ServedMcp, call, read_answer};
use crate::support::{done, folder, loopbreak};

/// Number of open files of a usual server.
const FILES: u32 = 1024;

fn ping() -> Value {
    json!({"jsonrpc": "2.0", "id": 2, "method": "ping"})
}

/// Other users of the machine reach the address, but not the file with the token.
#[test]
fn a_server_asks_for_a_token_that_only_its_user_can_read() {
    let home = HookHome::new();
    let mut server = ServedMcp::start(home.path(), FILES, &[]);
    let said = server.next_line();
    let token = server.token.clone().expect("a token was made up");
    assert!(said.contains("mcp-token") && !said.contains(&token), "{said}");
    let file = home.path().join("state/loopbreak/mcp-token");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(done(&mut home.command(&["mcp", "--print-token"])).out.trim(), token);

    assert_eq!(server.post(&server.session(), &ping()).status, 200);
    server.token = None;
    // The answer comes before the body.
    let mut stream = server.connect();
    stream.write_all(server.head("", 4_000_000).as_bytes()).unwrap();
    let refused = read_answer(&mut stream);
    assert_eq!(refused.status, 401, "{refused:?}");
    assert!(refused.head.contains("www-authenticate: bearer"), "{refused:?}");
    assert!(refused.body.contains("--print-token") && !refused.body.contains(&token), "{refused:?}");
    drop(server);

    let again = ServedMcp::start(home.path(), FILES, &[]);
    assert_eq!(
        again.token.as_deref(),
        Some(token.as_str()),
        "clients keep working when the server starts again"
    );
}

#[test]
fn a_server_without_a_token_is_possible_on_this_machine_only() {
    let home = HookHome::new();
    let mut server = ServedMcp::start(home.path(), FILES, &["--no-token"]);
    let said = server.next_line();
    assert!(said.contains("warning: no token is required"), "{said}");
    assert_eq!(server.token, None);
    assert_eq!(server.post(&server.session(), &ping()).status, 200);
    let beyond = done(&mut home.command(&["mcp", "--http", "0.0.0.0:0", "--no-token"]));
    assert_eq!(beyond.code, Some(2), "{}", beyond.err);
    assert!(
        beyond.err.contains("a token is required") && beyond.err.contains("leave out --no-token"),
        "{}",
        beyond.err
    );
}

/// Clients of a server do not see what the hooks of an agent recorded, unless its user says so.
#[test]
fn sessions_of_hooks_are_shown_over_http_only_on_demand() {
    let home = HookHome::new();
    home.session("private-session").finish("cat secret-plan.txt");
    for (args, is_shown) in [(&[] as &[&str], false), (&["--all-runs"], true)] {
        let server = ServedMcp::start(home.path(), FILES, args);
        let session = server.session();
        let step = json!({"run": "own-run", "action": "x", "outcome": "y"});
        assert!(server.post(&session, &call("record_step", &step)).body.contains(r#""turn":"#));
        let read = |uri: &str| json!({"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": {"uri": uri}});
        let list = json!({"jsonrpc": "2.0", "id": 3, "method": "resources/list"});
        for message in [
            read("loopbreak://runs/private-session/events"),
            read("loopbreak://runs/p/events"),
            read("loopbreak://runs"),
            list,
            call("status", &json!({"all": true})),
            call("status", &json!({"run": "private-session"})),
            call("explain_run", &json!({"run": "private-session"})),
            call("task_status", &json!({"run": "no-such-run"})),
        ] {
            let answer = server.post(&session, &message);
            assert_eq!(answer.status, 200, "{message}: {answer:?}");
            // An error repeats the name that the client gave.
            let told = answer.body.replace(r#"Run \"private-session\" not found"#, "");
            let shows =
                told.contains("secret-plan") || (told.contains("private-session") && answer.body == told);
            assert!(is_shown || !shows, "{message}: {answer:?}");
        }
        let events = server.post(&session, &read("loopbreak://runs/private-session/events"));
        assert_eq!(events.body.contains("secret-plan"), is_shown, "{events:?}");
        assert!(server.post(&session, &read("loopbreak://runs/own-run/events")).body.contains("own-run"));
    }
    // The program that starts the server over standard input is the user's own.
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18",
            "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}),
        call("explain_run", &json!({"run": "private-session"})),
    ];
    let input = lines.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n") + "\n";
    let own = done(home.command(&["mcp"]).write_stdin(input));
    assert!(own.out.contains("private-session"), "{}", own.out);
}

/// More half-open connections than the server may open files kept every other client out.
#[test]
fn half_open_connections_do_not_keep_out_other_clients() {
    let home = folder();
    let server = ServedMcp::start(home.path(), 200, &[]);
    let session = server.session();
    let half_open: Vec<TcpStream> = (0..300)
        .filter_map(|_| {
            let mut stream = TcpStream::connect(&server.address).ok()?;
            stream.write_all(b"P").ok()?;
            Some(stream)
        })
        .collect();
    assert!(half_open.len() > 200, "{}", half_open.len());
    for _ in 0..3 {
        assert_eq!(server.post(&session, &ping()).status, 200);
    }
    drop(half_open);
    assert_eq!(server.post(&session, &ping()).status, 200);
}

/// Bodies that do not end hold memory. All of them together have a bound, and usual requests pass meanwhile.
#[cfg(target_os = "linux")]
#[test]
fn large_bodies_that_do_not_end_hold_little_memory() {
    let home = folder();
    let server = ServedMcp::start(home.path(), FILES, &["--no-token"]);
    let session = server.session();
    let part = vec![b'x'; 3_900_000];
    let unfinished: Vec<TcpStream> = (0..100)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(server.head("", 4_000_000).as_bytes()).unwrap();
            // Beyond the bound, the server answers and closes the connection.
            let _ = stream.write_all(&part);
            stream
        })
        .collect();
    let held = server.memory();
    assert!(held < 250_000_000, "{held} bytes");
    assert_eq!(server.post(&session, &ping()).status, 200);
    let large = call("record_step", &json!({"run": "r", "action": "x", "outcome": "y".repeat(3_000_000)}));
    let refused = server.post(&session, &large);
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(refused.head.contains("retry-after: 1") && refused.body.contains("Try again"), "{refused:?}");
    drop(unfinished);
    let until = Instant::now() + Duration::from_secs(20);
    while server.post(&session, &large).status != 200 {
        assert!(Instant::now() < until, "the memory is not free again");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// An answer in two parts without `TCP_NODELAY` takes 40 ms longer on a connection that is used again.
#[test]
fn an_answer_on_a_kept_connection_comes_at_once_and_as_a_whole() {
    let home = folder();
    let server = ServedMcp::start(home.path(), FILES, &[]);
    let session = server.session();
    let median = |mut times: Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    let status = call("status", &json!({}));
    let timed = |answer: &dyn Fn() -> HttpAnswer| {
        let start = Instant::now();
        let answer = answer();
        assert_eq!(answer.status, 200);
        assert!(answer.head.contains("content-length: "), "{answer:?}");
        start.elapsed()
    };
    let new = median((0..21).map(|_| timed(&|| server.post(&session, &status))).collect());
    let kept = std::cell::RefCell::new(server.connect());
    let kept = median(
        (0..21).map(|_| timed(&|| server.post_on(&mut kept.borrow_mut(), &session, &status))).collect(),
    );
    assert!(kept < new + Duration::from_millis(25), "kept {kept:?}, new {new:?}");
}

#[test]
fn a_request_that_is_not_understood_is_told_what_to_do() {
    let home = folder();
    let server = ServedMcp::start(home.path(), FILES, &[]);
    let token = format!("Authorization: Bearer {}\r\n", server.token.as_ref().unwrap());
    let send = |head: &str, body: &str| {
        let mut stream = server.connect();
        let text = format!("{head}Host: 127.0.0.1\r\n{token}Content-Length: {}\r\n\r\n{body}", body.len());
        stream.write_all(text.as_bytes()).unwrap();
        read_answer(&mut stream)
    };
    let json = "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    for (head, body, status, words) in [
        ("GET / HTTP/1.1\r\n", "", 404, "The MCP endpoint is /mcp"),
        ("POST /mcp HTTP/1.1\r\n", list, 406, "`Accept: application/json, text/event-stream`"),
        ("GET /mcp HTTP/1.1\r\n", "", 406, "Calls are POST requests"),
        ("PUT /mcp HTTP/1.1\r\n", "", 405, "Calls are POST requests"),
        (json, list, 400, "Send `initialize` first"),
        (json, "not JSON", 415, "one JSON-RPC message"),
        (
            &json.replace("\r\nAccept", "\r\nMcp-Session-Id: gone\r\nAccept"),
            list,
            404,
            "Send `initialize` again",
        ),
        (
            &json.replace("Content-Type: application/json\r\n", ""),
            list,
            415,
            "`Content-Type: application/json`",
        ),
        (
            &json.replace("\r\nAccept", "\r\nOrigin: http://page.example\r\nAccept"),
            list,
            403,
            "--allow-origin",
        ),
    ] {
        let answer = send(head, body);
        assert_eq!(answer.status, status, "{head}{answer:?}");
        assert!(answer.body.contains(words), "{head}{answer:?}");
    }
}

#[test]
fn an_address_that_is_none_is_refused_with_an_example() {
    for address in ["80", "localhost", "127.0.0.1", "http://127.0.0.1:80"] {
        let refused = done(loopbreak(folder().path()).args(["mcp", "--http", address]));
        assert_eq!(refused.code, Some(2), "{}", refused.err);
        assert!(refused.err.contains("write it like 127.0.0.1:8722"), "{}", refused.err);
    }
}
