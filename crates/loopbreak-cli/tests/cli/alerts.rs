//! Alerts of `loopbreak serve`: who is told what, once.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::alert_receiver::{AlertReceiver, ReceivedMessage};
use crate::support::folder;
use crate::support::served_api::{ServedApi, api_command};

/// A secret that an agent used, and that nobody may be told.
const SECRET: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
/// Longer than the time between two comparisons of the rules, and than that between two looks for messages.
const QUIET: Duration = Duration::from_secs(8);

fn write_rules(home: &Path, rules: &str) {
    let file = home.join("config/loopbreak/loopbreak.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, rules).unwrap();
}

/// A call that has the same result each time, and costs a quarter of a dollar.
fn repeated(run: &str) -> Value {
    json!({"run": run, "action": {"name": "bash", "args": {"command": format!("curl -u {SECRET} <!channel>")}},
           "outcome": "all quiet", "usage": {"cost_usd": 0.25}})
}

/// Waits until the alerts of the server satisfy a condition, and returns them, the latest first.
fn wait_for_alerts(server: &ServedApi, is_done: impl Fn(&[Value]) -> bool) -> Vec<Value> {
    let started = Instant::now();
    loop {
        let alerts = server.get("/v1/alerts?projects=all")["alerts"].as_array().unwrap().clone();
        if is_done(&alerts) {
            return alerts;
        }
        assert!(started.elapsed() < Duration::from_mins(1), "{alerts:?}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn assert_clean(message: &ReceivedMessage) {
    assert!(!message.body.contains("ghp_0123") && !message.head.contains("ghp_0123"), "{message:?}");
    assert!(!message.body.chars().any(|char| char.is_control() && char != '\n'), "{message:?}");
}

#[test]
fn each_condition_is_told_once_in_three_forms_also_after_a_restart() {
    let home = folder();
    let receiver = AlertReceiver::accepting();
    let address = &receiver.address;
    write_rules(
        home.path(),
        &format!(
            "[[alert]]\nname = 'expensive day'\nkind = 'cost_per_day'\nthreshold = 1\nwebhook = '{address}/hook'\n\
             slack = '{address}/slack'\nntfy = '{address}/ntfy'\n\
             [[alert]]\nname = 'loops'\nkind = 'new_loop'\nwebhook = '{address}/loops'\n"
        ),
    );
    let server = ServedApi::start(home.path(), &[]);
    // The rules are known before the first loop.
    std::thread::sleep(Duration::from_secs(1));
    server.steps(&json!(vec![repeated("job"); 5]));
    let mut messages = BTreeMap::new();
    for _ in 0..4 {
        let message = receiver.next();
        assert_clean(&message);
        assert!(message.head.starts_with("post ") && message.head.contains("user-agent: loopbreak/"));
        messages.insert(message.path.clone(), message);
    }
    let json_of = |path: &str| serde_json::from_str::<Value>(&messages[path].body).unwrap();
    let hook = json_of("/hook");
    assert_eq!(
        (&hook["schema"], &hook["rule"], &hook["kind"], &hook["value"], &hook["threshold"]),
        (
            &json!("loopbreak.alert/1"),
            &json!("expensive day"),
            &json!("cost_per_day"),
            &json!(1.25),
            &json!(1.0)
        ),
        "{hook}"
    );
    let slack = json_of("/slack");
    assert_eq!(slack["blocks"][0]["text"]["text"], "Loopbreak: expensive day");
    assert!(slack["text"].as_str().unwrap().contains("$1.25 were spent since midnight UTC"), "{slack}");
    assert!(
        messages["/ntfy"].head.contains("\ntitle: loopbreak: expensive day\r\n"),
        "{:?}",
        messages["/ntfy"]
    );
    assert!(
        messages["/ntfy"].body.contains("the threshold is $1.00\nall projects"),
        "{:?}",
        messages["/ntfy"]
    );
    let found = json_of("/loops");
    assert_eq!(
        (&found["kind"], &found["run"], &found["is_back"]),
        (&json!("new_loop"), &json!("job"), &json!(false))
    );
    let id = found["loop"].as_str().unwrap().to_owned();
    let alerts = wait_for_alerts(&server, |alerts| {
        alerts.len() == 2
            && alerts
                .iter()
                .all(|alert| alert["messages"].as_array().unwrap().iter().all(|m| m["state"] == "told"))
    });
    assert!(
        alerts.iter().any(|alert| alert["loop"] == json!(id) && alert["project"] == "default"),
        "{alerts:?}"
    );

    // Neither more of the same nor a server that was killed tells it again.
    server.steps(&repeated("another"));
    server.kill();
    let server = ServedApi::start(home.path(), &[]);
    for _ in 0..4 {
        server.steps(&repeated("third"));
    }
    receiver.assert_silent(QUIET);

    // A loop that was fixed, and is found again, is told again.
    let (status, _) = server.call("POST", &format!("/v1/loops/{id}"), &json!({"action": "fixed"}));
    assert_eq!(status, 200);
    for _ in 0..4 {
        server.steps(&repeated("fourth"));
    }
    let back = receiver.next();
    let back: Value = serde_json::from_str(&back.body).unwrap();
    assert_eq!((&back["loop"], &back["is_back"]), (&json!(id), &json!(true)), "{back}");
    receiver.assert_silent(QUIET);
}

#[test]
fn a_receiver_that_fails_is_tried_again_and_one_that_hangs_delays_no_verdict() {
    let home = folder();
    let failing_once = AlertReceiver::start(|number| {
        Some(if number == 0 { "503 Busy" } else { "204 No Content" }.to_owned())
    });
    let hanging = AlertReceiver::start(|_| None);
    let elsewhere = AlertReceiver::accepting();
    let target = format!("302 Found\r\nlocation: {}/stolen", elsewhere.address);
    let redirecting = AlertReceiver::start(move |_| Some(target.clone()));
    write_rules(
        home.path(),
        &format!(
            "[[alert]]\nname = 'one'\nkind = 'cost_per_day'\nthreshold = 0.5\nwebhook = '{}/secret-path'\n\
             slack = '{}/secret-path'\nntfy = '{}/secret-path'\n\
             [[alert]]\nname = 'rate'\nkind = 'findings_per_hour'\nthreshold = 1\nwebhook = 'http://127.0.0.1:1/secret-path'\n",
            hanging.address, failing_once.address, redirecting.address
        ),
    );
    let server = ServedApi::start(home.path(), &[]);
    for _ in 0..4 {
        server.steps(&repeated("job"));
    }
    hanging.next();
    // One message is being sent, and verdicts come as before.
    for number in 0..20 {
        let started = Instant::now();
        server.steps(
            &json!({"run": "calm", "action": format!("look {number}"), "outcome": format!("room {number}")}),
        );
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }
    let message = |alerts: &[Value], form: &str| {
        let cost = alerts.iter().find(|alert| alert["rule"] == "one")?;
        cost["messages"].as_array()?.iter().find(|message| message["form"] == form).cloned()
    };
    let alerts = wait_for_alerts(&server, |alerts| {
        let state = |form| message(alerts, form).map(|message| message["state"].clone());
        state("slack") == Some(json!("told"))
            && state("ntfy") == Some(json!("failed"))
            && message(alerts, "webhook").is_some_and(|message| message["error"].is_string())
            && alerts.iter().any(|alert| alert["rule"] == "rate" && alert["messages"][0]["error"].is_string())
    });
    assert_eq!(message(&alerts, "slack").unwrap()["attempts"], 2);
    let text = json!(alerts).to_string();
    assert!(text.contains("http://127.0.0.1: timed out") && text.contains("answered 302 Found"), "{text}");
    assert!(!text.contains("secret-path"), "{text}");
    elsewhere.assert_silent(Duration::from_millis(10));
}

/// Makes a token of a project.
fn token(home: &Path, project: &str) -> String {
    let made = api_command(home, "token")
        .args(["create", "--project", project, "--scope", "read", "--scope", "ingest"])
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    String::from_utf8(made.stdout).unwrap().trim().to_owned()
}

#[test]
fn no_project_sees_the_alerts_and_the_usage_of_another() {
    let home = folder();
    write_rules(
        home.path(),
        "[[alert]]\nname = 'web'\nkind = 'cost_per_day'\nthreshold = 0.1\nproject = 'web'\n\
         [[alert]]\nname = 'api'\nkind = 'cost_per_day'\nthreshold = 0.1\nproject = 'api'\n\
         [[alert]]\nname = 'everybody'\nkind = 'cost_per_day'\nthreshold = 0.1\n",
    );
    let server = ServedApi::start(home.path(), &[]);
    let tokens: Vec<(&str, String)> =
        ["web", "api"].map(|project| (project, token(home.path(), project))).into();
    for (project, token) in &tokens {
        for _ in 0..4 {
            assert_eq!(
                server.call_as(token, "POST", "/v1/steps", &repeated(&format!("of-{project}"))).0,
                200
            );
        }
    }
    let all = wait_for_alerts(&server, |alerts| alerts.len() == 3);
    assert!(all.iter().any(|alert| alert["project"].is_null() && alert["rule"] == "everybody"), "{all:?}");
    for (project, token) in &tokens {
        for query in ["", "?projects=own", "?projects=all"] {
            let (status, alerts) = server.call_as(token, "GET", &format!("/v1/alerts{query}"), &Value::Null);
            let rules: Vec<&Value> =
                alerts["alerts"].as_array().unwrap().iter().map(|alert| &alert["rule"]).collect();
            assert_eq!((status, rules), (200, vec![&json!(project)]), "{query}");
            let (_, usage) = server.call_as(token, "GET", &format!("/v1/usage{query}"), &Value::Null);
            let rows = usage["usage"].as_array().unwrap();
            assert!(rows.len() == 2 && rows.iter().all(|row| row["project"] == json!(project)), "{usage}");
        }
    }
    let usage = server.get("/v1/usage?projects=all");
    let mut projects: Vec<&str> =
        usage["usage"].as_array().unwrap().iter().map(|row| row["project"].as_str().unwrap()).collect();
    projects.dedup();
    assert_eq!(projects, ["api", "web"]);
    assert_eq!(server.get("/v1/usage")["usage"], json!([]), "the owner selects a project, or all");
    let (status, _) = server.call("GET", "/v1/alerts?projects=none", &Value::Null);
    assert_eq!(status, 400);
}
