//! Mistakes of users: what is wrong, and what to type instead.

use std::fs;

use crate::support::{FinishedProgram, analyze, done, folder, healthy, loopbreak, stuck};

fn run(folder: &std::path::Path, args: &[&str]) -> FinishedProgram {
    done(loopbreak(folder).env("XDG_STATE_HOME", folder.join("state")).args(args))
}

#[track_caller]
fn assert_says(done: &FinishedProgram, code: i32, parts: &[&str]) {
    assert_eq!(done.code, Some(code), "{}{}", done.out, done.err);
    for part in parts {
        assert!(done.err.contains(part), "{part}: {}", done.err);
    }
}

#[test]
fn commands_of_other_programs_are_answered_with_what_to_type_instead() {
    let folder = folder();
    for (args, advice) in [
        (&["server"][..], "`loopbreak serve`"),
        (&["dashboard"], "`loopbreak analyze --html report.html`"),
        (&["init"], "`loopbreak hook install`"),
        (&["doctor"], "`loopbreak hook doctor`"),
        (&["ps"], "`loopbreak status`"),
        (&["help"], "`loopbreak --help`"),
        (&["config", "set", "mode", "off"], "edit loopbreak.toml"),
        (&["config", "list"], "`loopbreak config check`"),
        (&["tasks", "retry", "a"], "`loopbreak tasks open ID`"),
        (&["run", "claude", "-p"], "put -- before the command: loopbreak run -- claude -p"),
        (&["run", "--prompt", "go", "claude"], "loopbreak run --prompt go -- claude"),
    ] {
        assert_says(&run(folder.path(), args), 2, &["error: ", advice]);
    }
    assert!(!run(folder.path(), &["ps"]).err.contains("similar"), "one advice is enough");
    // A typo still gets the nearest command.
    assert_says(&run(folder.path(), &["analize"]), 2, &["'analyze'"]);
    assert_says(&run(folder.path(), &["run", "--prompt-fiel", "x"]), 2, &["'--prompt-file'"]);
}

#[test]
fn a_mistyped_log_is_answered_with_the_nearest_file() {
    let folder = folder();
    fs::write(folder.path().join("dam.jsonl"), stuck("dam", 10)).unwrap();
    assert_says(&analyze(folder.path(), &["dam.jsnl"]), 1, &["no such file", "did you mean dam.jsonl?"]);
    assert_says(&run(folder.path(), &["convert", "dam.jsnl"]), 1, &["did you mean dam.jsonl?"]);
    assert_says(&analyze(folder.path(), &["elsewhere"]), 1, &["hint: check the path"]);
}

#[test]
fn unknown_json_is_answered_with_its_keys_and_the_way_to_the_step_record() {
    let folder = folder();
    fs::write(folder.path().join("foo.json"), r#"{"foo":1,"bar":[]}"#).unwrap();
    let done = analyze(folder.path(), &["foo.json"]);
    assert_says(
        &done,
        1,
        &[
            "not a log",
            "its objects have the keys",
            "\"foo\"",
            "\"bar\"",
            "`loopbreak analyze --help`",
            "formats",
        ],
    );
}

/// A table cuts long ids, so the beginning of one has to be enough.
#[test]
fn a_run_is_found_by_the_beginning_of_its_name_in_any_case() {
    let folder = folder();
    let log = stuck("dam", 45) + &healthy("ep-7", 5) + &healthy("ep-8", 5) + &healthy("3bd9cf18-3c9b", 5);
    fs::write(folder.path().join("log.jsonl"), log).unwrap();
    for name in ["dam", "Dam", "3BD9", "ep-7"] {
        let done = analyze(folder.path(), &["log.jsonl", "--run", name, "-q"]);
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{name}");
        assert!(done.out.starts_with("1 run, "), "{name}: {}", done.out);
    }
    let explained = analyze(folder.path(), &["log.jsonl", "--run", "da", "--explain"]);
    assert_eq!(explained.code, Some(0), "{}", explained.err);
    assert!(explained.out.contains("stagnation: "), "{}", explained.out);

    let of = |name: &str| analyze(folder.path(), &["log.jsonl", "--run", name]);
    assert_says(&of("ep"), 1, &["several runs begin with \"ep\"", "name one of them: \"ep-7\", \"ep-8\""]);
    assert_says(&of("damn"), 1, &["run \"damn\" not found", "did you mean \"dam\"?"]);
    assert_says(&of("3c9b"), 1, &["did you mean \"3bd9cf18-3c9b\"?"]);
    let piped =
        done(loopbreak(folder.path()).args(["analyze", "-", "--run", "Dam"]).write_stdin(stuck("dam", 3)));
    assert_says(&piped, 1, &["did you mean \"dam\"?"]);
}

#[test]
fn an_output_that_cannot_be_written_is_refused_before_anything_is_read() {
    let folder = folder();
    fs::create_dir(folder.path().join("folder")).unwrap();
    fs::write(folder.path().join("log.jsonl"), stuck("a", 3)).unwrap();
    for option in ["--html", "--csv", "--junit", "--sarif", "--markdown", "--events"] {
        let missing = analyze(folder.path(), &["log.jsonl", option, "missing/dir/x"]);
        assert_says(&missing, 1, &["cannot write missing/dir/x: the folder missing/dir does not exist"]);
        let taken = analyze(folder.path(), &["log.jsonl", option, "folder"]);
        assert_says(
            &taken,
            1,
            &["cannot write folder: it is a folder", "give a file, such as folder/report."],
        );
        assert!(!folder.path().join("missing").exists());
    }
    let eval = run(folder.path(), &["eval", "log.jsonl", "--html", "folder"]);
    assert_says(&eval, 1, &["folder/report.html"]);
}

#[test]
fn wrong_usage_of_the_hook_commands_for_people_has_the_usual_exit_code() {
    let folder = folder();
    let unknown = run(folder.path(), &["hook", "install", "aider"]);
    assert_says(&unknown, 2, &["no hooks for `aider`", "`loopbreak watch`", "`loopbreak mcp`"]);
    assert_says(&run(folder.path(), &["hook", "install", "--bad"]), 2, &["'--bad'"]);
    // An agent would refuse every call on that code.
    assert_says(&run(folder.path(), &["hook", "claude-code", "--bad"]), 1, &["'--bad'"]);
}

#[test]
fn gemini_has_one_name_for_hooks_and_for_logs() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), stuck("a", 3)).unwrap();
    for name in ["gemini", "gemini-cli"] {
        let install = run(folder.path(), &["hook", "install", name, "--dry-run"]);
        assert_eq!(install.code, Some(0), "{}", install.err);
        let refused = analyze(folder.path(), &["--format", name, "log.jsonl"]);
        assert_says(&refused, 1, &["not a log in the format gemini-cli"]);
        let event = r#"{"hook_event_name":"SessionStart","session_id":"s","cwd":"/"}"#;
        let answered = done(
            loopbreak(folder.path())
                .env("XDG_STATE_HOME", folder.path().join("state"))
                .args(["hook", name])
                .write_stdin(event),
        );
        assert_eq!((answered.code, answered.err.as_str()), (Some(0), ""), "{name}");
    }
}

#[test]
fn a_missing_log_of_a_watch_is_an_error_like_any_other() {
    let folder = folder();
    let done = run(folder.path(), &["watch", "nope.jsonl", "--once"]);
    assert_says(&done, 1, &["error: nope.jsonl: file or folder not found"]);
}

#[test]
fn a_url_alone_is_a_webhook() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), healthy("a", 3)).unwrap();
    for url in ["https://example.com/x", "webhook=http://example.com/x"] {
        let done = run(folder.path(), &["watch", "log.jsonl", "--once", "--notify", url]);
        assert_eq!(done.code, Some(0), "{}", done.err);
    }
    let done = run(folder.path(), &["watch", "log.jsonl", "--once", "--notify", "slack"]);
    assert_says(&done, 2, &["--notify", "https://example.com/hook"]);
}

#[test]
fn config_get_prints_one_value() {
    let folder = folder();
    fs::write(folder.path().join("loopbreak.toml"), "[stagnation]\nmax_turns = 33\n").unwrap();
    let get = |args: &[&str]| run(folder.path(), &[&["config", "get"], args].concat());
    assert_eq!(get(&["stagnation.max_turns"]).out, "33\n");
    assert_eq!(get(&["mode"]).out, "enforce\n");
    assert_eq!(get(&["mode", "--set", "mode=observe"]).out, "observe\n");
    assert_says(&get(&["stagnation.max_turn"]), 2, &["did you mean stagnation.max_turns?"]);
}

#[test]
fn a_store_without_runs_says_how_to_get_one() {
    let folder = folder();
    for args in [&["status"][..], &["status", "--all"]] {
        let done = run(folder.path(), args);
        assert!(done.out.contains("`loopbreak hook install` guards a coding agent"), "{}", done.out);
    }
}
