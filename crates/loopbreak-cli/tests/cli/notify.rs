//! The kinds of `--notify`, for `watch` and `run` alike.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::Value;

use crate::support::agents::run_with;
use crate::support::{FinishedProgram, done, folder, loopbreak, stuck};

/// A name that no receiver must take for markup, a header or a command.
const HOSTILE: &str =
    "a<!channel>\\u001b[31m\\r\\nX-Evil: 1 --help $(id) sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAA é";

/// Accepts one request. Returns the address and a channel with the head and the body.
fn receiver() -> (String, Receiver<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/secret-path", listener.local_addr().unwrap());
    let (sender, requests) = channel();
    thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut stream = BufReader::new(stream);
        let (mut head, mut line) = (String::new(), String::new());
        while stream.read_line(&mut line).unwrap() > 2 {
            head += &line.to_ascii_lowercase();
            line.clear();
        }
        let length = head.lines().find_map(|line| line.strip_prefix("content-length:")).unwrap();
        let mut body = vec![0; length.trim().parse().unwrap()];
        stream.read_exact(&mut body).unwrap();
        sender.send((head, String::from_utf8(body).unwrap())).unwrap();
        stream
            .get_mut()
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            .unwrap();
    });
    (address, requests)
}

fn watch(folder: &Path, notify: &str) -> FinishedProgram {
    fs::write(folder.join("log.jsonl"), stuck(HOSTILE, 40)).unwrap();
    done(loopbreak(folder).env("PATH", folder.join("bin")).args([
        "watch",
        "log.jsonl",
        "--once",
        "--notify",
        notify,
    ]))
}

fn assert_clean(text: &str) {
    assert!(!text.chars().any(|char| char.is_control() && char != '\n'), "{text:?}");
    assert!(!text.contains("AAAAAAAA"), "{text}");
}

#[test]
fn slack_gets_a_text_and_blocks_in_which_nothing_is_markup() {
    let folder = folder();
    let (address, requests) = receiver();
    let watched = watch(folder.path(), &format!("slack={address}"));
    assert_eq!((watched.code, watched.err.contains("--notify")), (Some(0), false), "{}", watched.err);
    let (head, body) = requests.recv().unwrap();
    assert!(head.contains("content-type: application/json"), "{head}");
    let message: Value = serde_json::from_str(&body).unwrap();
    let text = message["text"].as_str().unwrap();
    assert!(text.contains("a&lt;!channel&gt;") && text.contains("no progress for 40 turns"), "{text}");
    assert_clean(text);
    let blocks = message["blocks"].as_array().unwrap();
    assert_eq!(
        blocks.iter().map(|block| block["type"].as_str().unwrap()).collect::<Vec<_>>(),
        ["header", "section", "context"]
    );
    assert_eq!(blocks[1]["text"]["type"], "plain_text");
    assert_eq!(blocks[1]["text"]["text"], "turn 40, stagnation: no progress for 40 turns");
    assert_eq!(blocks[2]["elements"][0]["text"], "log.jsonl:40");
    assert_clean(blocks[0]["text"]["text"].as_str().unwrap());
    assert!(blocks[0]["text"]["text"].as_str().unwrap().chars().count() <= 150);
}

#[test]
fn ntfy_gets_a_title_and_a_priority_and_no_header_of_an_agent() {
    let folder = folder();
    let (address, requests) = receiver();
    let watched = watch(folder.path(), &format!("ntfy={address}"));
    assert_eq!((watched.code, watched.err.contains("--notify")), (Some(0), false), "{}", watched.err);
    let (head, body) = requests.recv().unwrap();
    assert!(
        head.contains("\npriority: high\r\n") && head.contains("\ntitle: loopbreak: a<!channel>"),
        "{head}"
    );
    assert!(!head.contains("\nx-evil") && head.is_ascii(), "{head}");
    assert!(body.contains("turn 40, stagnation: no progress for 40 turns\nlog.jsonl:40"), "{body}");
    assert_clean(&body);
}

#[test]
fn a_failure_of_slack_is_reported_without_its_secret() {
    let folder = folder();
    let watched = watch(folder.path(), "slack=http://127.0.0.1:1/secret-path");
    assert!(watched.err.contains("--notify slack=http://127.0.0.1: "), "{}", watched.err);
    assert!(!watched.err.contains("secret-path"), "{}", watched.err);
}

#[cfg(target_os = "linux")]
#[test]
fn the_desktop_is_notified_with_the_texts_as_arguments() {
    let folder = folder();
    let bin = folder.path().join("bin");
    fs::create_dir(&bin).unwrap();
    let missing = watch(folder.path(), "desktop");
    assert_eq!(missing.code, Some(2), "{}", missing.err);
    assert!(
        missing.err.contains("--notify desktop: the program notify-send was not found"),
        "{}",
        missing.err
    );
    assert!(missing.err.contains("libnotify-bin"), "{}", missing.err);

    let program = bin.join("notify-send");
    let script = format!(
        "#!/bin/sh\nfor word; do printf '<%s>\\n' \"$word\"; done > {}/shown\n",
        folder.path().display()
    );
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let watched = watch(folder.path(), "desktop");
    assert_eq!((watched.code, watched.err.contains("--notify")), (Some(0), false), "{}", watched.err);
    let shown = fs::read_to_string(folder.path().join("shown")).unwrap();
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[..3], ["<--app-name=loopbreak>", "<--urgency=critical>", "<-->"]);
    assert!(lines[3].starts_with("<Loopbreak: a<!channel>") && lines[3].contains("--help $(id)"), "{shown}");
    assert_eq!(lines[4..], ["<turn 40, stagnation: no progress for 40 turns", "log.jsonl:40>"]);
    assert_clean(&shown);

    fs::write(&program, "#!/bin/sh\nexit 3\n").unwrap();
    let failed = watch(folder.path(), "desktop");
    assert!(failed.err.contains("--notify desktop: notify-send: exit status: 3"), "{}", failed.err);
    assert_eq!(failed.code, Some(0));
}

#[test]
fn a_run_notifies_the_same_kinds() {
    let folder = folder();
    let (address, requests) = receiver();
    let args = ["--max-iterations", "1", "--notify", &format!("ntfy={address}")];
    let ran = run_with(folder.path(), &args, "echo work");
    assert_eq!(ran.code, Some(11), "{}", ran.err);
    let (head, body) = requests.recv().unwrap();
    assert!(head.contains("\ntitle: loopbreak: "), "{head}");
    assert!(body.contains("turn 1, budget: "), "{body}");
}

/// An address is a way out for whatever the guard knows, so only the user may give one.
#[test]
fn a_configuration_of_a_project_cannot_name_an_address() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), stuck("a", 40)).unwrap();
    for key in ["notify = [\"http://127.0.0.1:1/x\"]", "[watch]\nnotify = \"desktop\"", "on_stop = \"pause\""]
    {
        fs::write(folder.path().join("loopbreak.toml"), key).unwrap();
        let watched = done(loopbreak(folder.path()).args(["watch", "log.jsonl", "--once"]));
        assert!(!watched.err.contains("--notify") && !watched.err.contains("paused"), "{}", watched.err);
        let checked = done(loopbreak(folder.path()).args(["config", "check"]));
        assert_eq!(checked.code, Some(2), "there is no such key: {}", checked.err);
    }
}
