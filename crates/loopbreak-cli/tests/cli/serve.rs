//! `loopbreak serve`: what clients get, what a killed server remembers, and who may do what.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::served_api::{ServedApi, api_command};
use crate::support::{done, folder, loopbreak};

fn failing(run: &str) -> Value {
    json!({"run": run, "action": {"name": "bash", "args": {"command": "make"}},
           "outcome": "all quiet", "model": "m-1",
           "usage": {"input_tokens": 100, "output_tokens": 10, "cost_usd": 0.25}})
}

/// Makes a token with the command line.
fn token(folder: &std::path::Path, args: &[&str]) -> String {
    let made = api_command(folder, "token").arg("create").args(args).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_loop_is_reported_to_the_client_and_listed_for_people() {
    let home = folder();
    let server = ServedApi::start(home.path(), &[]);
    let verdicts: Vec<Value> = (0..4).map(|_| server.steps(&failing("job"))["verdict"].clone()).collect();
    assert_eq!(verdicts, ["clear", "clear", "warn", "warn"]);
    let answers = server.steps(&json!([failing("a"), failing("b"), failing("a")]));
    let turns: Vec<String> = answers
        .as_array()
        .unwrap()
        .iter()
        .map(|answer| format!("{}{}", answer["run"].as_str().unwrap(), answer["turn"]))
        .collect();
    assert_eq!(turns, ["a1", "b1", "a2"]);
    let warned = server.steps(&json!({"run": "w", "action": "x", "outcome": "y"}));
    assert!(warned.get("rewind_to").is_none());
    server.steps(&json!([{"run": "w", "action": "x", "outcome": "y"}]));
    let third = server.steps(&json!({"run": "w", "action": "x", "outcome": "y"}));
    assert_eq!((&third["verdict"], &third["rewind_to"]), (&json!("warn"), &json!(1)), "{third}");

    let runs = server.get("/v1/runs?limit=2");
    assert_eq!(runs["runs"].as_array().unwrap().len(), 2);
    let next = runs["next"].as_str().unwrap();
    assert_eq!(server.get(&format!("/v1/runs?limit=9&cursor={next}"))["runs"].as_array().unwrap().len(), 2);
    let job = server.get("/v1/runs/job");
    assert_eq!(
        (&job["run"], &job["steps"], &job["verdict"], &job["cost"]),
        (&json!("job"), &json!(4), &json!("warn"), &json!(1.0))
    );
    assert_eq!(
        (&job["model"], &job["wasted_steps"], &job["warned_at"]),
        (&json!("m-1"), &json!(2), &json!(3))
    );
    let steps = server.get("/v1/runs/job/steps?limit=3");
    assert_eq!(steps["entries"][0]["input"]["action"]["name"], "bash");
    let next = steps["next"].as_str().unwrap();
    assert_eq!(
        server.get(&format!("/v1/runs/job/steps?cursor={next}"))["entries"].as_array().unwrap().len(),
        1
    );
    assert_eq!(server.get("/v1/runs/job/events")["entries"].as_array().unwrap().len(), 1);

    let loops = server.get("/v1/loops?order=count");
    let known = loops["loops"].as_array().unwrap().iter().find(|known| known["tool"] == "bash").unwrap();
    assert_eq!(
        (&known["count"], &known["runs"], &known["state"]),
        (&json!(1), &json!(1), &json!("open")),
        "{known}"
    );
    let usage = server.get("/v1/usage?days=1");
    let rows = usage["usage"].as_array().unwrap();
    assert!(
        rows.iter().any(|row| row["model"] == "m-1" && row["detector"] == "" && row["steps"] == 7),
        "{usage}"
    );
    let status = server.get("/v1/status");
    assert_eq!((&status["running"], &status["loopCount"]), (&json!(true), &json!(2)), "{status}");

    // Metrics, and the questions of checkers of health.
    let authorization = format!("Authorization: Bearer {}", server.token);
    let metrics = server.request("GET", "/metrics", &[&authorization], "");
    for line in [
        "loopbreak_findings_total{detector=\"cycle\",severity=\"warn\",acted=\"true\"} 2",
        "loopbreak_runs{verdict=\"warn\"} 2",
        "loopbreak_wasted_tokens_total 220",
        "loopbreak_wasted_usd_total 0.5",
        "loopbreak_step_seconds_count 10",
    ] {
        assert!(metrics.body.contains(line), "{line}: {}", metrics.body);
    }
    for path in ["/healthz", "/readyz"] {
        assert_eq!(server.request("GET", path, &["Host: pod-7"], "").status, 200);
    }
}

#[test]
fn lines_get_lines_and_a_weighed_action_changes_nothing() {
    let home = folder();
    let server = ServedApi::start(home.path(), &[]);
    let authorization = format!("Authorization: Bearer {}", server.token);
    let lines = format!("{}\n\n{}\n", failing("r"), failing("r"));
    let answer =
        server.request("POST", "/v1/steps", &[&authorization, "Content-Type: application/x-ndjson"], &lines);
    assert_eq!((answer.status, answer.body.lines().count()), (200, 2), "{answer:?}");
    let proposal = json!({"run": "r", "action": {"name": "bash", "args": {"command": "make"}}});
    for _ in 0..3 {
        let (status, ruling) = server.call("POST", "/v1/weigh", &proposal);
        assert_eq!((status, &ruling["accepted"]), (200, &json!(true)), "{ruling}");
    }
    let (_, unknown) = server.call("POST", "/v1/weigh", &json!({"run": "none", "action": "x"}));
    assert_eq!(unknown["accepted"], true);
    assert_eq!(server.call("GET", "/v1/runs/none", &Value::Null).0, 404);
    assert_eq!(server.get("/v1/runs/r")["steps"], 2);
    for (status, body, message) in [
        (400, "{", "not JSON"),
        (400, "[1]", "Step 0: It is not an object"),
        (400, "{\"say\":\"x\"}", "Missing argument `run`"),
        (422, "{\"run\":\"r\"}", "The step is empty"),
        (400, "{\"run\":\"r\",\"actoin\":\"x\"}", "Did you mean `action`?"),
        (422, "[{\"run\":\"r\",\"say\":\"x\"},{\"run\":\"r\"}]", "Step 1: The step is empty"),
    ] {
        let answer =
            server.request("POST", "/v1/steps", &[&authorization, "Content-Type: application/json"], body);
        assert!(answer.status == status && answer.body.contains(message), "{body}: {answer:?}");
    }
    assert_eq!(server.get("/v1/runs/r")["steps"], 2, "nothing of them was recorded");
}

/// The server is killed again and again. What it acknowledged is there, counts once, and the verdicts are those of a guard that
/// never ended.
#[test]
fn a_killed_server_continues_with_the_same_verdicts() {
    let steps: Vec<Value> = (0..120)
        .map(|number| match number % 24 {
            0..=7 => json!({"at": 1000 * number, "action": "make", "outcome": {"text": "1 failed", "error": true}}),
            8 => json!({"at": 1000 * number, "user": "go on"}),
            9..=13 => json!({"at": 1000 * number, "action": "north", "place": {"id": number % 2}, "score": 1}),
            _ => json!({"at": 1000 * number, "action": format!("read {number}"), "outcome": format!("text {number}")}),
        })
        .collect();
    let lines = steps.iter().map(Value::to_string).collect::<Vec<_>>().join("\n");
    let home = folder();
    let guarded = done(loopbreak(home.path()).arg("guard").write_stdin(lines));
    let expected: Vec<Value> = guarded.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut server = ServedApi::start(home.path(), &[]);
    for (number, (step, expected)) in steps.iter().zip(expected).enumerate() {
        let mut step = step.clone();
        step["run"] = "main".into();
        step["id"] = format!("step-{number}").into();
        let mut answer = server.steps(&step);
        if number % 17 == 11 {
            server.kill();
            server = ServedApi::start(home.path(), &[]);
            assert_eq!(server.steps(&step), answer, "a step that is sent again gets the same answer");
        }
        answer.as_object_mut().unwrap().remove("rewind_to");
        assert_eq!(answer, expected, "step {number}");
    }
    assert_eq!(server.get("/v1/runs/main")["steps"], 120);
}

/// Many clients send while the server is killed. Each sends a step again until it is acknowledged.
#[test]
fn nothing_that_was_acknowledged_is_lost_when_the_server_is_killed_under_load() {
    let home = folder();
    let mut server = ServedApi::start(home.path(), &[]);
    for round in 0..4 {
        let acknowledged: Vec<(usize, usize)> = std::thread::scope(|scope| {
            let clients: Vec<_> = (0..8)
                .map(|client| {
                    let server = &server;
                    scope.spawn(move || {
                        let mut sent = Vec::new();
                        for number in 0..400 {
                            let step = json!({"run": format!("c{client}"), "id": format!("{round}-{number}"),
                                              "action": format!("read {number}")});
                            let body = step.to_string();
                            let request = format!(
                                "POST /v1/steps HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: \
                                 application/json\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                                server.address, server.token, body.len()
                            );
                            let Ok(mut stream) = std::net::TcpStream::connect(&server.address) else { break };
                            if stream.write_all(request.as_bytes()).is_err() {
                                break;
                            }
                            let mut answer = String::new();
                            let _ = stream.read_to_string(&mut answer);
                            if !answer.starts_with("HTTP/1.1 200") {
                                break;
                            }
                            sent.push((client, number));
                        }
                        sent
                    })
                })
                .collect();
            std::thread::sleep(Duration::from_millis(300 + 150 * round));
            let killed =
                std::process::Command::new("kill").args(["-9", &server.process.id().to_string()]).status();
            assert!(killed.unwrap().success());
            clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
        });
        assert!(!acknowledged.is_empty());
        let _ = server.process.wait();
        server = ServedApi::start(home.path(), &[]);
        for client in 0..8 {
            let last = acknowledged.iter().filter(|(sender, _)| *sender == client).count();
            if last == 0 {
                continue;
            }
            // All of them again: none counts twice, and one that was not acknowledged counts once.
            let before = server.get(&format!("/v1/runs/c{client}"))["steps"].as_u64().unwrap();
            let again: Vec<Value> = (0..last)
                .map(|number| json!({"run": format!("c{client}"), "id": format!("{round}-{number}"), "action": format!("read {number}")}))
                .collect();
            server.steps(&json!(again));
            let after = server.get(&format!("/v1/runs/c{client}"))["steps"].as_u64().unwrap();
            assert_eq!(after, before, "an acknowledged step was lost");
        }
    }
}

#[test]
fn a_person_allows_a_loop_stops_a_run_and_forgets_it() {
    let home = folder();
    let server = ServedApi::start(home.path(), &[]);
    (0..3).for_each(|_| drop(server.steps(&failing("job"))));
    let id = server.get("/v1/loops")["loops"][0]["loop"].as_str().unwrap().to_owned();
    let (status, allowed) = server.call("POST", &format!("/v1/loops/{id}"), &json!({"action": "allow"}));
    assert_eq!((status, &allowed["state"]), (200, &json!("allowed")), "{allowed}");
    for _ in 0..9 {
        assert_eq!(server.steps(&failing("job"))["verdict"], "clear");
    }
    assert_eq!(server.get(&format!("/v1/loops/{id}"))["state"], "allowed");
    assert_eq!(server.call("POST", "/v1/loops/000000000000", &json!({"action": "mute"})).0, 404);

    let (status, _) = server.call("POST", "/v1/runs/job/stop", &json!({"reason": "too expensive"}));
    assert_eq!(status, 200);
    let stopped = server.steps(&json!({"run": "job", "action": "look", "outcome": "a room"}));
    assert_eq!((&stopped["verdict"], &stopped["stop"]), (&json!("stop"), &json!("stop_request")));
    assert_eq!(server.get("/v1/runs/job")["stop_request"], "too expensive");
    assert_eq!(server.call("POST", "/v1/runs/job/stop", &json!({"stop": false})).0, 200);
    let freed = server.steps(&json!({"run": "job", "action": "go", "outcome": "a hall"}));
    assert_eq!(freed["verdict"], "clear");

    assert_eq!(server.call("DELETE", "/v1/runs/job", &Value::Null).0, 200);
    assert_eq!(server.call("GET", "/v1/runs/job", &Value::Null).0, 404);
    assert_eq!(server.call("DELETE", "/v1/runs/job", &Value::Null).0, 404);
    assert_eq!(server.steps(&failing("job"))["turn"], 1, "the guard was forgotten too");
    // The command does the same beside the server.
    let forgotten = api_command(home.path(), "forget").arg("job").output().unwrap();
    assert!(forgotten.status.success(), "{forgotten:?}");
    assert_eq!(server.call("GET", "/v1/runs/job", &Value::Null).0, 404);
    let again = api_command(home.path(), "forget").arg("job").output().unwrap();
    assert_eq!(again.status.code(), Some(2));
}

#[test]
fn events_continue_where_a_client_stopped() {
    let home = folder();
    let server = ServedApi::start(home.path(), &[]);
    (0..5).for_each(|_| drop(server.steps(&failing("job"))));
    let all = server.events("after=0&wait=0", &[]);
    assert!(all.starts_with("HTTP/1.1 200") && all.to_lowercase().contains("text/event-stream"), "{all}");
    let ids = |text: &str| -> Vec<i64> {
        text.lines().filter_map(|line| line.strip_prefix("id: ")?.trim().parse().ok()).collect()
    };
    let known = ids(&all);
    assert_eq!(known.len(), 5, "{all}");
    let rest = server.events("wait=0", &[&format!("Last-Event-ID: {}", known[2])]);
    assert_eq!(ids(&rest), known[3..]);
    assert_eq!(ids(&server.events("after=0&limit=2", &[])), known[..2]);
    assert_eq!(ids(&server.events("after=0&wait=0&notable=true", &[])), known[2..3]);
    assert!(ids(&server.events("wait=0", &[])).is_empty(), "only new ones");
    // One that arrives while a client waits.
    let waited = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| server.events("limit=1&wait=30", &[]));
        std::thread::sleep(Duration::from_millis(500));
        server.steps(&failing("live"));
        waiting.join().unwrap()
    });
    assert!(waited.contains("\"run\":\"live\""), "{waited}");
}

#[test]
fn a_token_reaches_its_project_and_does_what_its_scopes_say() {
    let home = folder();
    let server = ServedApi::start(home.path(), &[]);
    let of_a = token(home.path(), &["--project", "a", "--scope", "ingest", "--scope", "read"]);
    let of_b =
        token(home.path(), &["--project", "b", "--scope", "read", "--scope", "admin", "--scope", "ingest"]);
    let ingest = token(home.path(), &["--project", "a"]);
    (0..3).for_each(|_| assert_eq!(server.call_as(&ingest, "POST", "/v1/steps", &failing("job")).0, 200));
    // The scopes.
    let (status, refused) = server.call_as(&ingest, "GET", "/v1/runs", &Value::Null);
    assert_eq!((status, &refused["error"]["code"]), (403, &json!("missing_scope")), "{refused}");
    for (method, path, body) in [
        ("GET", "/v1/events?wait=0", Value::Null),
        ("GET", "/v1/loops", Value::Null),
        ("GET", "/v1/status", Value::Null),
        ("GET", "/metrics", Value::Null),
        ("POST", "/v1/runs/job/stop", json!({})),
        ("DELETE", "/v1/runs/job", Value::Null),
    ] {
        assert_eq!(server.call_as(&ingest, method, path, &body).0, 403, "{method} {path}");
    }
    let id = server.call_as(&of_a, "GET", "/v1/loops", &Value::Null).1["loops"][0]["loop"].clone();
    let id = id.as_str().unwrap().to_owned();
    assert_eq!(server.call_as(&of_a, "POST", &format!("/v1/loops/{id}"), &json!({"action": "mute"})).0, 403);
    // The projects.
    for (method, path, body) in [
        ("GET", "/v1/runs/job".to_owned(), Value::Null),
        ("GET", "/v1/runs/job/steps".to_owned(), Value::Null),
        ("GET", "/v1/runs/job/events".to_owned(), Value::Null),
        ("POST", "/v1/runs/job/stop".to_owned(), json!({})),
        ("DELETE", "/v1/runs/job".to_owned(), Value::Null),
        ("GET", format!("/v1/loops/{id}"), Value::Null),
        ("POST", format!("/v1/loops/{id}"), json!({"action": "allow"})),
        ("GET", "/v1/status?run=job".to_owned(), Value::Null),
    ] {
        let (status, body) = server.call_as(&of_b, method, &path, &body);
        assert_eq!(status, 404, "{method} {path}: {body}");
    }
    for (path, list) in [("/v1/runs", "runs"), ("/v1/loops", "loops"), ("/v1/usage", "usage")] {
        let (_, body) = server.call_as(&of_b, "GET", path, &Value::Null);
        assert_eq!(body[list], json!([]), "{path}");
    }
    // A run of the same name is another run, and a header does not change the project of a token.
    assert_eq!(server.call_as(&of_b, "POST", "/v1/steps", &failing("job")).1["turn"], 1);
    let headers = [&format!("Authorization: Bearer {of_b}"), "Loopbreak-Project: a"];
    let answer = server.request("GET", "/v1/runs", &headers, "");
    assert!(
        answer.body.contains("\"project\":\"b\"") && !answer.body.contains("\"project\":\"a\""),
        "{answer:?}"
    );
    // The owner may look at every project.
    let headers = [&format!("Authorization: Bearer {}", server.token), "Loopbreak-Project: a"];
    assert!(server.request("GET", "/v1/runs/job", &headers, "").body.contains("\"steps\":3"));
    // Revoked, and expired.
    let list = api_command(home.path(), "token").arg("list").output().unwrap();
    let list = String::from_utf8(list.stdout).unwrap();
    assert_eq!(list.lines().count(), 3, "{list}");
    let id = of_b.split('_').nth(1).unwrap();
    assert!(list.contains(id) && !list.contains(&of_b), "{list}");
    let revoked = api_command(home.path(), "token").args(["revoke", id]).output().unwrap();
    assert!(revoked.status.success());
    std::thread::sleep(Duration::from_millis(2500));
    assert_eq!(server.call_as(&of_b, "GET", "/v1/runs", &Value::Null).0, 401);
    let short = token(home.path(), &["--expires", "0.001"]);
    std::thread::sleep(Duration::from_millis(20));
    let (status, expired) = server.call_as(&short, "POST", "/v1/steps", &failing("job"));
    assert!(status == 401 && expired.to_string().contains("expired"), "{expired}");
    let store = std::fs::read(home.path().join("state/loopbreak/service.db")).unwrap();
    let secret = of_a.split('_').nth(2).unwrap().as_bytes();
    assert!(!store.windows(secret.len()).any(|part| part == secret), "only the hash is stored");
}

#[test]
fn attacks_are_refused() {
    let home = folder();
    let mut server = ServedApi::start(home.path(), &[]);
    let said = server.next_line();
    assert!(said.contains("service-token") && !said.contains(&server.token), "{said}");
    let file = home.path().join("state/loopbreak/service-token");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let own = format!("Authorization: Bearer {}", server.token);
    let host = format!("Host: {}", server.address);
    // Without a token, nothing of a body is read.
    let refused = server.raw(
        format!("POST /v1/steps HTTP/1.1\r\n{host}\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n").as_bytes(),
    );
    assert_eq!(refused.status, 401, "{refused:?}");
    assert!(
        refused.head.contains("www-authenticate: bearer") && refused.head.contains("connection: close"),
        "{refused:?}"
    );
    for token in ["", "x", "lbs_0123456789_00", &server.token[..63], &format!("{}0", server.token), "lbs__"] {
        let header = format!("Authorization: Bearer {token}");
        assert_eq!(server.request("GET", "/v1/runs", &[&header], "").status, 401, "{token}");
    }
    for headers in [vec![], vec!["Authorization: Basic eDp5"], vec!["Cookie: loopbreak_session=0"]] {
        assert_eq!(server.request("GET", "/v1/runs", &headers, "").status, 401, "{headers:?}");
    }
    // The token does not count in the address.
    assert_eq!(server.request("GET", &format!("/v1/runs?token={}", server.token), &[], "").status, 401);
    // Web pages and other names.
    for (headers, code) in [
        (vec!["Host: evil.example"], "forbidden_host"),
        (vec!["Host: 127.0.0.1.evil.example"], "forbidden_host"),
        (vec!["Host: x@127.0.0.1"], "forbidden_host"),
        (vec!["Origin: https://evil.example"], "forbidden_origin"),
        (vec!["Origin: null"], "forbidden_origin"),
    ] {
        let headers: Vec<&str> = headers.into_iter().chain([own.as_str()]).collect();
        let answer = server.request("GET", "/v1/runs", &headers, "");
        assert!(answer.status == 403 && answer.body.contains(code), "{headers:?}: {answer:?}");
        assert!(!answer.head.contains("access-control"), "{answer:?}");
    }
    assert_eq!(
        server
            .raw(format!("GET /v1/runs HTTP/1.1\r\n{host}\r\nHost: evil.example\r\n{own}\r\n\r\n").as_bytes())
            .status,
        403
    );
    let preflight = server.request("OPTIONS", "/v1/runs", &[&own, "Access-Control-Request-Method: POST"], "");
    assert!(preflight.status == 405 && preflight.head.contains("allow: get"), "{preflight:?}");
    assert_eq!(server.steps(&failing("r"))["turn"], 1, "nothing of all this was recorded");
}

#[test]
fn requests_of_a_wrong_form_are_refused() {
    let home = folder();
    let server = ServedApi::start(home.path(), &[]);
    let own = format!("Authorization: Bearer {}", server.token);
    let host = format!("Host: {}", server.address);
    // Methods, types, sizes.
    let wrong = server.request("PUT", "/v1/steps", &[&own], "");
    assert!(
        wrong.status == 405
            && wrong.head.contains("allow: post")
            && wrong.body.contains("method_not_allowed"),
        "{wrong:?}"
    );
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
        let answer = server.request("POST", "/v1/steps", &[&own, &format!("Content-Type: {kind}")], "{}");
        assert_eq!(answer.status, 415, "{kind}");
    }
    assert_eq!(server.request("POST", "/v1/steps", &[&own], "{}").status, 415);
    let long = json!({"run": "r", "say": "x".repeat(5_000_000)}).to_string();
    assert_eq!(
        server.request("POST", "/v1/steps", &[&own, "Content-Type: application/json"], &long).status,
        413
    );
    let deep = format!(
        "{{\"run\":\"r\",\"action\":{{\"name\":\"x\",\"args\":{}{}}}}}",
        "[".repeat(100),
        "]".repeat(100)
    );
    assert_eq!(
        server.request("POST", "/v1/steps", &[&own, "Content-Type: application/json"], &deep).status,
        422
    );
    let many = json!(vec![json!({"run": "r", "say": "x"}); 1001]).to_string();
    assert_eq!(
        server.request("POST", "/v1/steps", &[&own, "Content-Type: application/json"], &many).status,
        400
    );
    // Paths and heads.
    for path in [
        "/v1/runs/%00",
        "/v1/runs/..%2f..%2fetc%2fpasswd",
        "/v1/runs/'%20OR%201=1",
        "/v1/runs/x/../../metrics/x",
        "/%2e%2e/",
        "//v1/runs",
    ] {
        assert_eq!(server.request("GET", path, &[&own], "").status, 404, "{path}");
    }
    for query in [
        "limit=0",
        "limit=501",
        "limit=-1",
        "limit=x",
        "cursor=x",
        "verdict=bad",
        "nonsense=1",
        "limit=1&limit=2",
    ] {
        assert_eq!(server.request("GET", &format!("/v1/runs?{query}"), &[&own], "").status, 400, "{query}");
    }
    for head in [
        "GET / HTTP/1.1\r\n\r\n",
        "GET\r\n\r\n",
        "\u{0}\u{1}\r\n\r\n",
        &format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(40_000)),
    ] {
        let answer = server.raw(head.as_bytes());
        assert!([400, 403, 431, 0].contains(&answer.status), "{head:.40}: {answer:?}");
    }
    let smuggled = format!(
        "POST /v1/steps HTTP/1.1\r\n{host}\r\n{own}\r\nContent-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    );
    assert!([400, 415].contains(&server.raw(smuggled.as_bytes()).status));
    // A client that says nothing keeps nobody waiting.
    let idle: Vec<_> = (0..50).map(|_| server.connect()).collect();
    assert_eq!(server.steps(&failing("r"))["turn"], 1, "nothing of all this was recorded");
    drop(idle);
    // Headers for browsers.
    let answer = server.request("GET", "/v1/runs", &[&own], "");
    for header in [
        "x-content-type-options: nosniff",
        "content-security-policy: default-src 'none'",
        "cache-control: no-store",
    ] {
        assert!(answer.head.contains(header), "{header}: {answer:?}");
    }
}

#[test]
fn a_server_beyond_this_machine_needs_a_token_and_tls() {
    let home = folder();
    let start = |args: &[&str], token: Option<&str>| {
        let mut command = api_command(home.path(), "serve");
        command.args(["--http", "0.0.0.0:0"]).args(args);
        if let Some(token) = token {
            command.env("LOOPBREAK_TOKEN", token);
        }
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = start(&[], None);
    assert!(code == Some(2) && said.contains("a token is required"), "{said}");
    let (code, said) = start(&["--no-token"], None);
    assert!(code == Some(2) && said.contains("a token is required"), "{said}");
    let (code, said) = start(&[], Some("0123456789abcdef0123456789abcdef"));
    assert!(code == Some(2) && said.contains("TLS is required"), "{said}");
}

#[test]
fn two_servers_do_not_use_one_file() {
    let home = folder();
    let server = ServedApi::start(home.path(), &[]);
    let second = api_command(home.path(), "serve").args(["--http", "127.0.0.1:0"]).output().unwrap();
    let said = String::from_utf8(second.stderr).unwrap();
    assert!(second.status.code() == Some(1) && said.contains("another server uses the store"), "{said}");
    server.kill();
    assert_eq!(ServedApi::start(home.path(), &[]).steps(&failing("r"))["turn"], 1);
}

/// The browser is let in by a code that works once, and its cookie is of no use to other pages.
#[test]
fn the_owners_browser_is_let_in_once() {
    let home = folder();
    let bin = home.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let program = bin.join("xdg-open");
    let opened = home.path().join("opened");
    std::fs::write(
        &program,
        format!("#!/bin/sh\necho \"$1\" > {0}.part && mv {0}.part {0}\n", opened.display()),
    )
    .unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let variables = [("PATH", path.as_str()), ("DISPLAY", ":0"), ("TMPDIR", home.path().to_str().unwrap())];
    let server = ServedApi::start_with(home.path(), &["--open"], &variables);
    let page = (0..200).find_map(|_| {
        std::thread::sleep(Duration::from_millis(50));
        std::fs::read_to_string(&opened).ok()
    });
    let page = page.unwrap();
    let page = std::path::Path::new(page.trim());
    assert_eq!(std::fs::metadata(page).unwrap().permissions().mode() & 0o777, 0o600);
    let page = std::fs::read_to_string(page).unwrap();
    let code = page.split("/?code=").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let closed = server.request("GET", "/", &[], "");
    assert!(
        closed.status == 200
            && closed.body.contains("loopbreak serve --open")
            && !closed.body.contains("curl"),
        "{closed:?}"
    );
    assert!(!server.request("GET", "/?code=0000", &[], "").head.contains("set-cookie"));
    let entered = server.request("GET", &format!("/?code={code}"), &[], "");
    assert!(entered.status == 303 && entered.head.contains("location: /\r\n"), "{entered:?}");
    let cookie = entered.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap();
    for part in ["httponly", "samesite=strict", "path=/"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let cookie = format!("Cookie: {}", cookie.split(';').next().unwrap());
    let page = server.request("GET", "/", &[&cookie], "");
    assert!(page.body.contains("/assets/main.js"), "{page:?}");
    assert!(page.head.contains("content-security-policy: default-src 'none'; script-src 'self'"), "{page:?}");
    assert_eq!(server.request("GET", "/v1/runs", &[&cookie], "").status, 200);
    assert!(!server.request("GET", &format!("/?code={code}"), &[], "").head.contains("set-cookie"), "once");
    // Another page cannot use the cookie to change something.
    let kind = "Content-Type: application/json";
    let own_origin = format!("Origin: http://{}", server.address);
    let step = failing("r").to_string();
    assert_eq!(server.request("POST", "/v1/steps", &[&cookie, kind], &step).status, 403);
    assert_eq!(
        server.request("POST", "/v1/steps", &[&cookie, kind, "Origin: http://127.0.0.1:1"], &step).status,
        403
    );
    assert_eq!(server.request("POST", "/v1/steps", &[&cookie, kind, &own_origin], &step).status, 200);
}

#[test]
fn a_token_that_sends_too_much_gets_429_and_others_are_answered() {
    let home = folder();
    let server = ServedApi::start(home.path(), &["--rate", "20"]);
    let (greedy, other) = (token(home.path(), &["--note", "greedy"]), token(home.path(), &[]));
    let many = json!(vec![failing("r"); 99]);
    assert_eq!(server.call_as(&greedy, "POST", "/v1/steps", &many).0, 200);
    let authorization = format!("Authorization: Bearer {greedy}");
    let body = many.to_string();
    let refused =
        server.request("POST", "/v1/steps", &[&authorization, "Content-Type: application/json"], &body);
    assert!(refused.status == 429 && refused.head.contains("retry-after: "), "{refused:?}");
    assert_eq!(server.call_as(&other, "POST", "/v1/steps", &failing("o")).0, 200);
}

#[test]
fn calls_about_tasks_have_the_answers_of_the_mcp_tools() {
    let home = folder();
    let server = ServedApi::start(home.path(), &[]);
    let (_, plan) = server.call("POST", "/v1/plan_next", &json!({"run": "job", "tasks": [{"id": "A"}]}));
    assert_eq!(plan["task"]["id"], "A", "{plan}");
    let attempt = json!({"run": "job", "taskId": "A", "status": "blocked", "blockers": ["no network"]});
    let looping: Vec<Value> = (0..3)
        .map(|_| server.call("POST", "/v1/attempts", &attempt).1["check"]["isLooping"].clone())
        .collect();
    assert_eq!(looping, [false, false, true]);
    let (_, check) = server.call("POST", "/v1/detect_loop", &json!({"run": "job", "task_id": "A"}));
    assert!(check["error"]["hint"].as_str().unwrap().contains("Did you mean `taskId`?"), "{check}");
    let (_, check) = server.call("POST", "/v1/detect_loop", &json!({"run": "job", "taskId": "A"}));
    assert_eq!(check["loopType"], "blocked_task_spin");
    let (_, recovery) = server.call("POST", "/v1/apply_recovery", &json!({"run": "job", "taskId": "A"}));
    assert_eq!(recovery["recovery"], "unblock_authority");
    let (_, tasks) = server.call("POST", "/v1/task_status", &json!({"run": "job"}));
    assert_eq!(tasks["tasks"][0]["attemptCount"], 3);
    assert_eq!(server.get("/v1/status")["recoveryCount"], 1);
}
