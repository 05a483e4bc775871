//! Logs of other tools: detection, listing, conversion, and search on the machine.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{analyze, done, folder, json, loopbreak, root, shown, stuck};
use serde_json::Value;

fn fixtures() -> PathBuf {
    root().join("crates/loopbreak-trace/tests/fixtures")
}

/// Returns the report without its sources.
fn runs(mut report: Value) -> Vec<Value> {
    let runs = report["runs"].as_array_mut().unwrap();
    for run in &mut *runs {
        for key in ["source", "format", "skipped_lines"] {
            run.as_object_mut().unwrap().remove(key);
        }
        // A step does not name the folder of its project.
        if let Some(about) = run.get_mut("about").and_then(Value::as_object_mut) {
            about.remove("project");
            if about.is_empty() {
                run.as_object_mut().unwrap().remove("about");
            }
        }
    }
    runs.clone()
}

#[test]
fn a_folder_of_all_formats_is_simply_read() {
    let all = fixtures();
    let report = json(&root(), &[all.to_str().unwrap()]);
    let runs = report["runs"].as_array().unwrap();
    let mut formats: Vec<&str> = runs.iter().map(|run| run["format"].as_str().unwrap()).collect();
    formats.sort_unstable();
    formats.dedup();
    assert_eq!(
        formats,
        [
            "adventureai",
            "ai-sdk",
            "attempts",
            "chat",
            "claude-code",
            "codex",
            "gemini-cli",
            "langchain",
            "ltf",
            "opencode",
            "openhands",
            "otel",
            "pi",
            "qwen-code",
            "ralph",
            "responses",
            "swe-agent",
            "zorkgpt"
        ]
    );
    assert_eq!(report["totals"]["ignored_files"], 1, "the page about the fixtures");
}

#[test]
fn a_converted_log_gives_the_same_analysis() {
    let here = folder();
    for entry in fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path()) {
        if !entry.is_dir() {
            continue;
        }
        for file in fs::read_dir(&entry).unwrap().map(|file| file.unwrap().path()) {
            let log = file.to_str().unwrap();
            let converted = here.path().join("steps.jsonl");
            let written = done(loopbreak(here.path()).args(["convert", "--quiet", log, "-o", "steps.jsonl"]));
            assert_eq!((written.code, written.out.as_str()), (Some(0), ""), "{log}: {}", written.err);
            let original = json(here.path(), &[log]);
            let again = json(here.path(), &[converted.to_str().unwrap()]);
            assert_eq!(again["totals"]["skipped_lines"], 0, "{log}");
            assert_eq!(again["totals"]["unknown_keys"], 0, "{log}");
            assert_eq!(runs(original), runs(again), "{log}");
        }
    }
}

#[test]
fn logs_with_the_same_run_stay_apart_when_they_are_converted() {
    let here = folder();
    for (name, text) in [
        ("a/session.jsonl", stuck("s1", 30) + &stuck("s2", 10)),
        ("b/session.jsonl", stuck("s1", 30)),
        ("c/log.jsonl", "{\"score\":1}\n".to_owned()),
        ("d/log.jsonl", "{\"score\":2}\n{\"score\":3}\n".to_owned()),
    ] {
        let path = here.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let written = done(loopbreak(here.path()).args(["convert", "a", "b", "c", "d", "-o", "steps.jsonl"]));
    assert_eq!(written.code, Some(0), "{}", written.err);
    let named = |report: &Value| -> Vec<(String, u64)> {
        let runs = report["runs"].as_array().unwrap().iter();
        runs.map(|run| (run["run"].as_str().unwrap().to_owned(), run["steps"].as_u64().unwrap())).collect()
    };
    let expected = [
        ("s1".to_owned(), 30),
        ("s2".to_owned(), 10),
        ("s1 (b/session.jsonl)".to_owned(), 30),
        ("log".to_owned(), 1),
        ("log (d/log.jsonl)".to_owned(), 2),
    ];
    assert_eq!(named(&json(here.path(), &["steps.jsonl"])), expected);
    // The analysis of the logs themselves tells them apart by their source.
    let without_names = |mut report: Value| {
        for run in report["runs"].as_array_mut().unwrap() {
            run.as_object_mut().unwrap().remove("run");
        }
        runs(report)
    };
    let original = json(here.path(), &["a", "b", "c", "d"]);
    assert_eq!(without_names(original), without_names(json(here.path(), &["steps.jsonl"])));
}

#[test]
fn compressed_logs_are_read() {
    let here = folder();
    let plain = fixtures().join("codex/rollout.jsonl");
    let text = fs::read(&plain).unwrap();
    let (head, tail) = text.split_at(text.len() / 2);
    let gzip = |bytes: &[u8]| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        std::io::Write::write_all(&mut packer, bytes).unwrap();
        packer.finish().unwrap()
    };
    let zstd =
        |bytes: &[u8]| ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest);
    // Compressed in two parts, as log rotation does.
    fs::write(here.path().join("a"), [gzip(head), gzip(tail)].concat()).unwrap();
    fs::write(here.path().join("b"), [zstd(head), zstd(tail)].concat()).unwrap();
    let expected = runs(json(here.path(), &[plain.to_str().unwrap()]));
    assert_eq!(expected[0]["run"], "0199-abc");
    assert_eq!(runs(json(here.path(), &["a"])), expected);
    assert_eq!(runs(json(here.path(), &["b"])), expected);
    let piped = done(loopbreak(here.path()).args(["analyze", "--json", "-"]).write_stdin(gzip(&text)));
    assert_eq!(runs(serde_json::from_str(&piped.out).unwrap()), expected);

    fs::write(here.path().join("cut"), &gzip(&text)[..300]).unwrap();
    let cut = analyze(here.path(), &["cut"]);
    assert_eq!(cut.code, Some(1), "{}", cut.err);
}

#[test]
fn the_format_can_be_given() {
    let here = folder();
    fs::write(here.path().join("log"), "prose\n{\"role\":\"user\",\"content\":\"hello\"}\n").unwrap();
    let report = json(here.path(), &["log", "--format", "chat"]);
    assert_eq!((&report["runs"][0]["format"], &report["totals"]["steps"]), (&"chat".into(), &1.into()));
    let other = analyze(here.path(), &["log", "--format", "swe-agent"]);
    assert_eq!(other.code, Some(1));
    assert!(other.err.contains("not a log in the format swe-agent"), "{}", other.err);
    let unknown = analyze(here.path(), &["log", "--format", "word"]);
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("the formats are claude-code, codex"), "{}", unknown.err);
}

#[test]
fn eval_and_tune_accept_a_format() {
    let folder = folder();
    let runs: String = ["a", "b", "c", "d"].map(|run| stuck(run, 40)).concat();
    // It starts with more lines than detection reads.
    fs::write(folder.path().join("log.txt"), "prose\n".repeat(2000) + &runs).unwrap();
    let code = |args: &[&str]| done(loopbreak(folder.path()).args(args)).code;
    for command in [&["eval"][..], &["tune", "--budget", "3", "--folds", "2"]] {
        let with = |more: &[&str]| code(&[command, &["log.txt"], more].concat());
        assert_eq!(with(&[]), Some(1), "{command:?}: the content does not show it");
        assert_eq!(with(&["--format", "steps"]), Some(0), "{command:?}");
        assert_eq!(with(&["--format", "nonsense"]), Some(2), "{command:?}");
    }
}

#[test]
fn formats_are_listed_and_each_has_its_page() {
    let here = folder();
    let list = done(loopbreak(here.path()).args(["formats"]));
    insta::assert_snapshot!("formats", shown(&list));
    let data = done(loopbreak(here.path()).args(["formats", "--json"]));
    let data: Value = serde_json::from_str(&data.out).unwrap();
    assert_eq!(data["schema"], "loopbreak.formats/1");
    for format in data["formats"].as_array().unwrap() {
        let page = format!("docs/formats/{}.md", format["name"].as_str().unwrap());
        let text = fs::read_to_string(root().join(&page)).unwrap_or_else(|error| panic!("{page}: {error}"));
        assert!(text.contains(&format!("`{}`", format["name"].as_str().unwrap())), "{page}");
    }
}

/// Copies a fixture to the place where the agent would have written it.
fn copy_fixture(home: &Path, fixture: &str, to: &str) {
    let to = home.join(to);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(fixtures().join(fixture), to).unwrap();
}

#[test]
fn without_a_path_the_logs_of_installed_agents_are_found() {
    let home = folder();
    copy_fixture(home.path(), "claude-code/4b2030ed.jsonl", ".claude/projects/app/4b2030ed.jsonl");
    copy_fixture(
        home.path(),
        "claude-code/4b2030ed/subagents/agent-a2018e5.jsonl",
        ".claude/projects/app/4b2030ed/subagents/agent-a2018e5.jsonl",
    );
    copy_fixture(home.path(), "gemini-cli/session.json", ".gemini/tmp/ab/chats/session-1.json");
    let found = done(loopbreak(home.path()).args(["analyze", "--json"]).env("HOME", home.path()));
    assert_eq!(found.code, Some(0), "{}", found.err);
    let report: Value = serde_json::from_str(&found.out).unwrap();
    assert_eq!(report["totals"]["runs"], 2, "a session and its subagent are one run");
    assert!(found.err.contains("reading the logs of Claude Code in "), "{}", found.err);
    assert!(found.err.contains("no logs of Codex CLI, Qwen Code, "), "{}", found.err);

    let moved = done(
        loopbreak(home.path())
            .args(["analyze", "--json"])
            .env("CLAUDE_CONFIG_DIR", home.path().join(".claude"))
            .env("CODEX_HOME", home.path().join("codex")),
    );
    let report: Value = serde_json::from_str(&moved.out).unwrap();
    assert_eq!(report["totals"]["runs"], 1);

    let nothing = done(loopbreak(home.path()).arg("analyze").env("HOME", home.path().join("none")));
    assert_eq!(nothing.code, Some(2));
    assert!(nothing.err.contains("no log given, and none found for Claude Code ("), "{}", nothing.err);
}

#[test]
fn convert_does_not_overwrite_a_log_and_reports_other_files() {
    let here = folder();
    fs::write(here.path().join("log.jsonl"), "{\"score\":1}\n").unwrap();
    let same = done(loopbreak(here.path()).args(["convert", "log.jsonl", "-o", "log.jsonl"]));
    assert_eq!(same.code, Some(2));
    assert_eq!(fs::read_to_string(here.path().join("log.jsonl")).unwrap(), "{\"score\":1}\n");
    let plain = done(loopbreak(here.path()).args(["convert", "log.jsonl"]));
    assert_eq!(plain.out, "{\"run\":\"log\",\"score\":1.0}\n");
    fs::write(here.path().join("prose.txt"), "Dear diary,\n").unwrap();
    let prose = done(loopbreak(here.path()).args(["convert", "prose.txt"]));
    assert_eq!((prose.code, prose.out.as_str()), (Some(1), ""));
    assert!(prose.err.contains("tried claude-code, codex"), "{}", prose.err);
}
