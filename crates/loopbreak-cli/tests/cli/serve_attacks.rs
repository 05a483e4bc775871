//! Attacks on `loopbreak serve`. Each is refused in the form of the documentation, nothing of it is recorded, and the server still
//! serves an honest client.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::support::folder;
use crate::support::served_api::{ServedApi, api_command};
use crate::support::served_mcp::HttpAnswer;

const JSON: &str = "Content-Type: application/json";
const STEP: &str = r#"{"run":"victim","action":"x"}"#;

/// A request that must not do anything.
struct AttackRequest<'a> {
    name: &'a str,
    /// First line and headers, without `Host` and `Content-Length` unless they are part of the attack.
    head: Vec<&'a str>,
    body: Vec<u8>,
    /// Status of the answer. 0 if the connection may be closed without one.
    status: &'a [u16],
    /// Code of the error, empty if the answer has no body: it was not HTTP.
    code: &'a str,
}

impl AttackRequest<'_> {
    fn bytes(&self, server: &ServedApi) -> Vec<u8> {
        let has = |name: &str| self.head.iter().any(|line| line.starts_with(name));
        let mut head = self.head.join("\r\n");
        if !has("Host:") {
            head.extend(["\r\nHost: ", &server.address]);
        }
        if !has("Content-Length:") && !has("Transfer-Encoding:") && !self.body.is_empty() {
            head.extend(["\r\nContent-Length: ", &self.body.len().to_string()]);
        }
        [head.as_bytes(), b"\r\n\r\n", &self.body].concat()
    }
}

/// Sends bytes, and returns what came back before the end or the whole of an answer. The server may have stopped reading.
fn exchange(server: &ServedApi, bytes: &[u8]) -> HttpAnswer {
    let mut stream = server.connect();
    let _ = stream.write_all(bytes);
    read_tolerantly(&mut stream)
}

fn read_tolerantly(stream: &mut TcpStream) -> HttpAnswer {
    let (mut read, mut part) = (Vec::new(), [0; 16 * 1024]);
    loop {
        let text = String::from_utf8_lossy(&read).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let head = head.to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
        let is_complete =
            text.contains("\r\n\r\n") && length.is_some_and(|length: usize| body.len() >= length);
        match if is_complete { Ok(0) } else { stream.read(&mut part) } {
            Ok(0) | Err(_) => {
                let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
                return HttpAnswer { status, body: body.to_owned(), head };
            }
            Ok(count) => read.extend_from_slice(&part[..count]),
        }
    }
}

fn assert_honest_client_is_served(server: &ServedApi, after: &str) {
    let (status, body) = server.call("GET", "/v1/runs/honest", &Value::Null);
    assert_eq!((status, &body["steps"]), (200, &Value::from(1)), "after {after}: {body}");
}

/// Returns what is wrong with the answer to an attack.
fn problem(attack: &AttackRequest<'_>, answer: &HttpAnswer) -> Option<String> {
    let is_refused = if attack.code.is_empty() || answer.status == 0 {
        answer.body.is_empty()
    } else {
        let body: Value = serde_json::from_str(&answer.body).unwrap_or_default();
        let error = &body["error"];
        error["code"] == attack.code && error["message"].is_string() && error["hint"].is_string()
    };
    let is_expected = is_refused && attack.status.contains(&answer.status);
    let is_right = is_expected && !answer.head.contains("access-control");
    (!is_right).then(|| format!("{}: {answer:?}", attack.name))
}

/// Starts a server with a run of an honest client, and no other.
fn start(home: &std::path::Path, args: &[&str]) -> ServedApi {
    let server = ServedApi::start(home, args);
    server.steps(&serde_json::json!({"run": "honest", "action": "look"}));
    server
}

fn new_token(home: &std::path::Path, args: &[&str]) -> String {
    let made = api_command(home, "token").arg("create").args(args).output().unwrap();
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

#[test]
#[expect(clippy::too_many_lines, reason = "most of it is the table")]
fn requests_that_trick_or_break_the_form_are_refused() {
    let home = folder();
    let server = start(home.path(), &[]);
    let own = format!("Authorization: Bearer {}", server.token);
    let other = format!("Authorization: Bearer {}", new_token(home.path(), &["--project", "other"]));
    let post = "POST /v1/steps HTTP/1.1";
    let long_path = format!("GET /v1/runs/{} HTTP/1.1", "x".repeat(12_000));
    let endless_path = format!("GET /v1/runs/{} HTTP/1.1", "x".repeat(70_000));
    let flood: Vec<String> = (0..500).map(|number| format!("X-{number}: 1")).collect();
    let evil_host = "Host: evil.example";
    let absolute = "GET http://evil.example/v1/runs HTTP/1.1";
    let closed: &[u16] = &[400, 0];
    let mut attacks = vec![
        // Who asks.
        ("no token", vec![post, JSON], STEP, &[401][..], "unauthorized"),
        (
            "a second token",
            vec![post, JSON, &own, "Authorization: Bearer x"],
            STEP,
            &[400],
            "invalid_request",
        ),
        (
            "a token after a false one",
            vec![post, JSON, "Authorization: Bearer x", &own],
            STEP,
            &[400],
            "invalid_request",
        ),
        (
            "a token in another header",
            vec![post, JSON, "X-Api-Key: x", "Proxy-Authorization: Bearer x"],
            STEP,
            &[401],
            "unauthorized",
        ),
        (
            "a forwarded user",
            vec![post, JSON, "X-Forwarded-User: owner", "X-Forwarded-For: 127.0.0.1"],
            STEP,
            &[401],
            "unauthorized",
        ),
        (
            "two projects",
            vec![post, JSON, &own, "Loopbreak-Project: a", "Loopbreak-Project: b"],
            STEP,
            &[400],
            "invalid_request",
        ),
        (
            "a project with a path",
            vec![post, JSON, &own, "Loopbreak-Project: ../default"],
            STEP,
            &[400],
            "invalid_request",
        ),
        // Which host.
        ("another host", vec![post, JSON, &own, evil_host], STEP, &[403], "forbidden_host"),
        (
            "a forwarded host",
            vec![post, JSON, &own, evil_host, "X-Forwarded-Host: localhost"],
            STEP,
            &[403],
            "forbidden_host",
        ),
        (
            "two hosts",
            vec!["GET /v1/runs HTTP/1.1", &own, "Host: localhost", evil_host],
            "",
            &[403, 400],
            "forbidden_host",
        ),
        ("a host in the first line", vec![absolute, &own, "Host: localhost"], "", &[403], "forbidden_host"),
        (
            "a host with a user",
            vec!["GET /v1/runs HTTP/1.1", &own, "Host: localhost@evil.example"],
            "",
            &[403],
            "forbidden_host",
        ),
        (
            "a host with a dot",
            vec!["GET /v1/runs HTTP/1.1", &own, "Host: localhost.evil.example"],
            "",
            &[403],
            "forbidden_host",
        ),
        // Which page.
        (
            "a page of another origin",
            vec![post, JSON, &own, "Origin: https://evil.example"],
            STEP,
            &[403],
            "forbidden_origin",
        ),
        (
            "two origins",
            vec![post, JSON, &own, "Origin: http://localhost", "Origin: http://evil.example"],
            STEP,
            &[400],
            "invalid_request",
        ),
        (
            "a preflight",
            vec![
                "OPTIONS /v1/steps HTTP/1.1",
                "Origin: https://evil.example",
                "Access-Control-Request-Method: POST",
            ],
            "",
            &[401],
            "unauthorized",
        ),
        (
            "a form",
            vec![post, &own, "Content-Type: application/x-www-form-urlencoded"],
            "run=victim",
            &[415],
            "unsupported_media_type",
        ),
        ("text", vec![post, &own, "Content-Type: text/plain"], STEP, &[415], "unsupported_media_type"),
        ("two types", vec![post, &own, JSON, "Content-Type: text/plain"], STEP, &[400], "invalid_request"),
        // Which method.
        (
            "a method in a header",
            vec!["GET /v1/steps HTTP/1.1", &own, "X-HTTP-Method-Override: POST"],
            STEP,
            &[405],
            "method_not_allowed",
        ),
        ("a method that is none", vec!["TRACE /v1/runs HTTP/1.1", &own], "", &[405], "method_not_allowed"),
        ("a tunnel", vec!["CONNECT localhost:22 HTTP/1.1", &own], "", &[400, 403, 404, 405], "not_found"),
        // Which path.
        ("dots", vec!["GET /v1/../metrics/x HTTP/1.1", &own], "", &[404], "not_found"),
        ("encoded dots", vec!["GET /v1/%2e%2e/%2e%2e/etc/passwd HTTP/1.1", &own], "", &[404], "not_found"),
        ("an encoded slash", vec!["GET /v1%2fruns HTTP/1.1", &own], "", &[404], "not_found"),
        (
            "an asset outside",
            vec!["GET /assets/..%2f..%2fetc%2fpasswd HTTP/1.1", &own],
            "",
            &[404],
            "not_found",
        ),
        ("slashes", vec!["GET //v1//runs HTTP/1.1", &own], "", &[404], "not_found"),
        ("an open path with a tail", vec!["GET /healthz/../v1/runs HTTP/1.1"], "", &[401], "unauthorized"),
        ("an encoded zero", vec!["GET /v1/runs/honest%00 HTTP/1.1", &own], "", &[404], "not_found"),
        ("a zero", vec!["GET /v1/runs/\0 HTTP/1.1", &own], "", closed, ""),
        ("a long path", vec![&long_path, &own], "", &[404], "not_found"),
        ("an endless path", vec![&endless_path, &own], "", &[414, 431, 0], ""),
        (
            "another project's run",
            vec!["GET /v1/runs/honest HTTP/1.1", &other],
            "",
            &[403, 404],
            "missing_scope",
        ),
        // The body.
        ("no JSON", vec![post, JSON, &own], "{\"run\":", &[400], "invalid_request"),
        (
            "a body in another encoding",
            vec![post, JSON, &own, "Content-Encoding: gzip"],
            "\u{1f}",
            &[400, 415],
            "invalid_request",
        ),
        ("a length that is none", vec![post, JSON, &own, "Content-Length: -1"], STEP, closed, ""),
        ("two lengths", vec![post, JSON, &own, "Content-Length: 1", "Content-Length: 29"], STEP, closed, ""),
        ("a huge length", vec![post, JSON, &own, "Content-Length: 99999999999999999999"], STEP, closed, ""),
        (
            "chunks that are none",
            vec![post, JSON, &own, "Transfer-Encoding: chunked"],
            "zz\r\nnonsense\r\n",
            &[400, 0],
            "invalid_request",
        ),
        (
            "a chunk with much beside it",
            vec![post, JSON, &own, "Transfer-Encoding: chunked"],
            &format!("1;{}\r\n", "x".repeat(40_000)),
            &[400, 0],
            "invalid_request",
        ),
        ("an unknown transfer", vec![post, JSON, &own, "Transfer-Encoding: xchunked"], STEP, closed, ""),
        // The head.
        ("a header without a name", vec!["GET /v1/runs HTTP/1.1", &own, ": x"], "", closed, ""),
        ("a folded header", vec!["GET /v1/runs HTTP/1.1", &own, "X: a\r\n b"], "", closed, ""),
        ("another protocol", vec!["GET /v1/runs HTTP/9.9", &own], "", closed, ""),
        (
            "an upgrade",
            vec!["GET /v1/none HTTP/1.1", &own, "Connection: Upgrade", "Upgrade: h2c"],
            "",
            &[404],
            "not_found",
        ),
    ]
    .into_iter()
    .map(|(name, head, body, status, code)| AttackRequest {
        name,
        head,
        body: body.as_bytes().to_vec(),
        status,
        code,
    })
    .collect::<Vec<_>>();
    let many = ["GET /v1/runs HTTP/1.1"].into_iter().chain(flood.iter().map(String::as_str)).collect();
    attacks.push(AttackRequest {
        name: "a flood of headers",
        head: many,
        body: Vec::new(),
        status: &[431, 400],
        code: "",
    });
    let answered = attacks.iter().filter_map(|attack| {
        let answer = exchange(&server, &attack.bytes(&server));
        assert_honest_client_is_served(&server, attack.name);
        problem(attack, &answer)
    });
    let problems: Vec<String> = answered.collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert_eq!(
        server.call("GET", "/v1/runs/victim", &Value::Null).0,
        404,
        "nothing of all this was recorded"
    );
}

#[test]
fn telemetry_that_tricks_or_breaks_the_form_is_refused() {
    let home = folder();
    let server = start(home.path(), &[]);
    let own = format!("Authorization: Bearer {}", server.token);
    let reader = format!("Authorization: Bearer {}", new_token(home.path(), &["--scope", "read"]));
    let post = "POST /v1/logs HTTP/1.1";
    let packed = "Content-Encoding: gzip";
    let bomb = gzip(&vec![b' '; 40 << 20]);
    assert!(bomb.len() < 300_000);
    let nested = format!("{{\"resourceLogs\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let twice = gzip(&gzip(&vec![b' '; 20 << 20]));
    for (name, head, body, statuses) in [
        ("no token", vec![post, JSON], b"{}".to_vec(), &[401_u16][..]),
        ("a token without the scope", vec![post, JSON, &reader], b"{}".to_vec(), &[403]),
        ("a cookie that is none", vec![post, JSON, "Cookie: loopbreak_session=0"], b"{}".to_vec(), &[401]),
        ("a bomb", vec![post, JSON, packed, &own], bomb, &[413]),
        ("a bomb in a bomb", vec![post, JSON, packed, &own], twice, &[400]),
        (
            "two encodings",
            vec![post, JSON, packed, "Content-Encoding: identity", &own],
            b"{}".to_vec(),
            &[400],
        ),
        (
            "an encoding that is none",
            vec![post, JSON, "Content-Encoding: gzip, gzip", &own],
            b"{}".to_vec(),
            &[415],
        ),
        ("a broken stream", vec![post, JSON, packed, &own], gzip(b"{}")[..12].to_vec(), &[400]),
        ("deep nesting, which is not read", vec![post, JSON, &own], nested.into_bytes(), &[200, 400]),
        (
            "protobuf that ends early",
            vec![post, "Content-Type: application/x-protobuf", &own],
            vec![0x0a, 0xff, 0xff, 0xff, 0x7f],
            &[400],
        ),
        ("too many bytes", vec![post, JSON, &own], vec![b' '; 5 << 20], &[413]),
        ("another type", vec![post, "Content-Type: text/plain", &own], b"{}".to_vec(), &[415]),
    ] {
        let attack = AttackRequest { name, head, body, status: statuses, code: "" };
        let answer = exchange(&server, &attack.bytes(&server));
        assert!(statuses.contains(&answer.status), "{name}: {answer:?}");
        assert_honest_client_is_served(&server, name);
    }
}

/// Many small requests that become large at the same time use the memory of a few.
#[test]
fn many_packed_requests_at_once_use_bounded_memory() {
    let home = folder();
    let server = start(home.path(), &[]);
    let own = format!("Authorization: Bearer {}", server.token);
    let mut content = vec![b' '; 15 << 20];
    content.extend(b"{}");
    let attack = AttackRequest {
        name: "bombs",
        head: vec!["POST /v1/logs HTTP/1.1", JSON, "Content-Encoding: gzip", &own],
        body: gzip(&content),
        status: &[200],
        code: "",
    };
    let bytes = attack.bytes(&server);
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..40).map(|_| scope.spawn(|| exchange(&server, &bytes).status)).collect();
        for client in clients {
            let status = client.join().unwrap();
            assert!([200, 429].contains(&status), "{status}");
        }
    });
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process.id())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 300 * 1024, "{peak} KiB; all of them together are 600 MiB");
    assert_honest_client_is_served(&server, "bombs");
}

/// Clients that send a part and then nothing, or a byte now and then. All of them at the same time.
#[test]
fn slow_clients_are_given_up_and_keep_nobody_waiting() {
    let home = folder();
    let server = start(home.path(), &["--otlp-grpc", "127.0.0.1:0"]);
    let own = format!("Authorization: Bearer {}", server.token);
    let host = format!("Host: {}", server.address);
    let head = format!("POST /v1/steps HTTP/1.1\r\n{host}\r\n{own}\r\n{JSON}\r\n");
    let half_body = format!("{head}Content-Length: 1000\r\n\r\n{{");
    let endless_chunk = format!("{head}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nx");
    let half_chunk = format!("{head}Transfer-Encoding: chunked\r\n\r\n10\r\n{{");
    std::thread::scope(|scope| {
        for (name, bytes, drip, least, most, status) in [
            ("slow headers", head.as_str(), "X: y\r\n", 8, 25, 0),
            ("no headers", "", "", 8, 25, 0),
            ("slow body", half_body.as_str(), " ", 20, 50, 408),
            ("a chunk of all bytes", endless_chunk.as_str(), " ", 20, 50, 408),
            ("slow chunks", half_chunk.as_str(), "", 20, 50, 408),
        ] {
            let server = &server;
            scope.spawn(move || {
                let started = Instant::now();
                let mut stream = server.connect();
                stream.write_all(bytes.as_bytes()).unwrap();
                stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
                let mut read = Vec::new();
                while started.elapsed() < Duration::from_mins(1) {
                    let _ = stream.write_all(drip.as_bytes());
                    let mut part = [0; 4096];
                    match stream.read(&mut part) {
                        Ok(0) => break,
                        Ok(count) => read.extend_from_slice(&part[..count]),
                        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                        Err(_) => break,
                    }
                }
                let (took, said) = (started.elapsed().as_secs(), String::from_utf8_lossy(&read).into_owned());
                assert!((least..most).contains(&took), "{name}: {took} s: {said}");
                assert_eq!(
                    said.contains(" 408 ") && said.contains("too_slow"),
                    status == 408,
                    "{name}: {said}"
                );
            });
        }
        for _ in 0..10 {
            assert_honest_client_is_served(&server, "slow clients");
            std::thread::sleep(Duration::from_millis(200));
        }
    });
}

/// A connection of HTTP/2, frame by frame.
struct FrameClient(TcpStream);

impl FrameClient {
    fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut client = FrameClient(stream);
        client.0.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").unwrap();
        assert!(client.send(4, 0, 0, b""));
        client
    }

    /// Sends a frame. Returns false if the server has closed the connection.
    fn send(&mut self, kind: u8, flags: u8, stream: u32, content: &[u8]) -> bool {
        let length = (content.len() as u32).to_be_bytes();
        let frame = [&length[1..], &[kind, flags], &stream.to_be_bytes(), content].concat();
        self.0.write_all(&frame).is_ok()
    }

    /// Returns the kind, the stream and the content of the next frame, or nothing after the end.
    fn receive(&mut self) -> Option<(u8, u32, Vec<u8>)> {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).ok()?;
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut content = vec![0; length as usize];
        self.0.read_exact(&mut content).ok()?;
        Some((head[3], u32::from_be_bytes([head[5], head[6], head[7], head[8]]), content))
    }

    /// Returns whether the server has closed the connection, and with which error if it gave one.
    fn end(&mut self) -> Option<u32> {
        let mut code = None;
        while let Some((kind, _, content)) = self.receive() {
            if kind == 7 {
                code = content.get(4..8).map(|code| u32::from_be_bytes(code.try_into().unwrap()));
            }
        }
        code
    }
}

/// The head of a call in HPACK, without compression.
fn call_head(address: &str) -> Vec<u8> {
    let path = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
    let fields = [
        (":method", "POST"),
        (":scheme", "http"),
        (":path", path),
        (":authority", address),
        ("content-type", "application/grpc"),
    ];
    let field = |(name, value): (&str, &str)| {
        [&[0, name.len() as u8], name.as_bytes(), &[value.len() as u8], value.as_bytes()].concat()
    };
    fields.into_iter().flat_map(field).collect()
}

#[test]
fn floods_of_frames_end_their_connection_and_calls_of_others_are_answered() {
    const END_STREAM: u8 = 1;
    const END_HEADERS: u8 = 4;
    let home = folder();
    let mut server = start(home.path(), &["--otlp-grpc", "127.0.0.1:0"]);
    server.next_line();
    let line = server.next_line();
    let calls = line.split("http://").nth(1).unwrap().trim().to_owned();
    let head = call_head(&calls);
    let honest = |after: &str| {
        let mut client = FrameClient::connect(&calls);
        assert!(client.send(1, END_HEADERS | END_STREAM, 1, &head));
        let mut answered = false;
        while let Some((kind, stream, content)) = client.receive() {
            if (kind, stream) == (1, 1) {
                // Without a token: UNAUTHENTICATED.
                assert!(content.windows(2).any(|part| part == b"16") || !content.is_empty());
                answered = true;
                break;
            }
        }
        assert!(answered, "after {after}");
        assert_honest_client_is_served(&server, after);
    };
    honest("nothing");

    // Calls that are taken back at once, faster than they can be begun.
    let mut client = FrameClient::connect(&calls);
    let sent = (0..200_000_u32).take_while(|number| {
        client.send(1, END_HEADERS, 2 * number + 1, &head) && client.send(3, 0, 2 * number + 1, &[0, 0, 0, 8])
    });
    assert!(sent.count() < 200_000, "the server closed the connection");
    honest("rapid resets");

    // A head that never ends, of empty and of large parts.
    for part in [&[][..], &[0; 16_000]] {
        let mut client = FrameClient::connect(&calls);
        client.send(1, 0, 1, &head);
        let sent = (0..100_000).take_while(|_| client.send(9, 0, 1, part));
        assert!(sent.count() < 100_000, "the server closed the connection");
        honest("continuations");
    }

    // Frames that break the rules.
    for (kind, stream, content) in
        [(1_u8, 2_u32, &b"\xff\xff\xff"[..]), (0, 0, b"x"), (9, 1, b"x"), (8, 0, &[0; 4])]
    {
        let mut client = FrameClient::connect(&calls);
        client.send(kind, END_HEADERS, stream, content);
        assert!(client.end().is_some_and(|code| code != 0), "{kind}");
    }
    // Plain HTTP, and nothing at all.
    let mut silent: Vec<TcpStream> = (0..100).map(|_| TcpStream::connect(&calls).unwrap()).collect();
    let mut plain = TcpStream::connect(&calls).unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    plain.shutdown(Shutdown::Write).unwrap();
    let mut rest = Vec::new();
    let _ = plain.read_to_end(&mut rest);
    assert!(!rest.starts_with(b"HTTP/1.1 200"));
    honest("silence");
    silent.clear();
}

/// More connections than there is place for say nothing on the port of gRPC.
#[test]
fn silent_clients_of_grpc_keep_nobody_out() {
    let home = folder();
    let mut server = start(home.path(), &["--otlp-grpc", "127.0.0.1:0"]);
    server.next_line();
    let calls = server.next_line().split("http://").nth(1).unwrap().trim().to_owned();
    // More than were possible at the same time in all, when the port had a limit of its own.
    let silent: Vec<TcpStream> = (0..600).filter_map(|_| TcpStream::connect(&calls).ok()).collect();
    let mut client = FrameClient::connect(&calls);
    assert!(client.send(1, 5, 1, &call_head(&calls)));
    assert!(std::iter::from_fn(|| client.receive()).any(|(kind, stream, _)| (kind, stream) == (1, 1)));
    assert_honest_client_is_served(&server, "silence");
    drop(silent);
}
