//! Bad input: each case is told or counted, none is a panic, and the other files go on.

use std::fs;

use crate::support::{analyze, done, folder, healthy, json, loopbreak, shown};

#[test]
fn broken_lines_are_reported_with_their_position_and_counted() {
    let folder = folder();
    let log = [
        r#"{"score":1}"#,
        "Traceback (most recent call last):",
        r#"{"score":"forty"}"#,
        r#"{"score":NaN}"#,
        r#"{"turn":5,"score":2}"#,
        r#"{"turn":3,"score":3}"#,
        r#"{"score":4"#,
    ];
    fs::write(folder.path().join("log.jsonl"), log.join("\n")).unwrap();
    insta::assert_snapshot!("broken_lines", shown(&analyze(folder.path(), &["log.jsonl"])));
    insta::assert_snapshot!("broken_lines_verbose", analyze(folder.path(), &["-v", "log.jsonl"]).err);
    let quiet = analyze(folder.path(), &["--quiet", "log.jsonl"]);
    assert_eq!((quiet.err.as_str(), quiet.code), ("", Some(0)));

    let report = json(folder.path(), &["log.jsonl"]);
    assert_eq!(report["totals"]["skipped_lines"], 4);
    assert_eq!(report["runs"][0]["skipped_lines"], 4);
    assert_eq!(report["totals"]["renumbered_turns"], 1);
    assert_eq!(report["runs"][0]["steps"], 3);
}

#[test]
fn a_line_of_ten_megabytes_is_read_and_one_of_seventy_is_skipped() {
    let folder = folder();
    let long = |megabytes: usize| format!("{{\"say\":\"{}\"}}\n", "x".repeat(megabytes * 1024 * 1024));
    fs::write(folder.path().join("log.jsonl"), long(10) + &long(70) + &healthy("a", 2)).unwrap();
    let report = json(folder.path(), &["log.jsonl"]);
    assert_eq!(report["totals"]["steps"], 3);
    assert_eq!(report["totals"]["skipped_lines"], 1);
}

#[test]
fn invalid_utf_8_skips_only_its_line() {
    let folder = folder();
    let mut log = healthy("a", 2).into_bytes();
    log.extend_from_slice(b"{\"say\":\"\xFF\xFE\"}\n{\"say\":\"\0\"}\n");
    log.extend_from_slice(healthy("a", 3).lines().last().unwrap().as_bytes());
    fs::write(folder.path().join("log.jsonl"), log).unwrap();
    let report = json(folder.path(), &["log.jsonl"]);
    assert_eq!((&report["totals"]["steps"], &report["totals"]["skipped_lines"]), (&3.into(), &2.into()));
}

#[test]
fn an_empty_file_is_reported_but_is_not_an_error() {
    let folder = folder();
    fs::write(folder.path().join("empty.jsonl"), " \n\n").unwrap();
    insta::assert_snapshot!(shown(&analyze(folder.path(), &["empty.jsonl"])));
    assert_eq!(json(folder.path(), &["empty.jsonl"])["totals"]["runs"], 0);
    let nothing = done(loopbreak(folder.path()).args(["analyze", "-"]).write_stdin(""));
    assert_eq!(nothing.code, Some(0));
}

#[test]
fn missing_files_and_files_that_are_not_logs_are_errors_and_the_rest_is_read() {
    let folder = folder();
    fs::write(folder.path().join("binary"), b"\x7fELF\0\0\0").unwrap();
    fs::write(folder.path().join("prose.txt"), "Dear diary,\n").unwrap();
    fs::write(folder.path().join("wide.jsonl"), b"\xFF\xFE{\0}\0").unwrap();
    fs::write(folder.path().join("good.jsonl"), healthy("a", 2)).unwrap();
    fs::create_dir(folder.path().join("void")).unwrap();
    fs::create_dir(folder.path().join("notes")).unwrap();
    fs::write(folder.path().join("notes/a.md"), "x\n").unwrap();
    let names = ["missing.jsonl", "binary", "prose.txt", "wide.jsonl", "void", "notes"];
    let with_a_good_one = analyze(folder.path(), &[&names[..], &["good.jsonl"]].concat());
    insta::assert_snapshot!(shown(&with_a_good_one));
    for name in names {
        let alone = analyze(folder.path(), &[name]);
        assert_eq!((alone.code, alone.out.as_str()), (Some(1), ""), "{name}");
        assert!(alone.err.starts_with(&format!("error: {name}: ")), "{}", alone.err);
    }
}

#[cfg(unix)]
#[test]
fn a_file_without_read_permission_is_reported() {
    use std::os::unix::fs::PermissionsExt as _;

    let folder = folder();
    let locked = folder.path().join("locked.jsonl");
    fs::write(&locked, healthy("a", 2)).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    // Whoever may read everything cannot see this happen.
    if fs::File::open(&locked).is_ok() {
        return;
    }
    let done = analyze(folder.path(), &["locked.jsonl"]);
    assert_eq!(done.code, Some(1));
    assert!(done.err.contains("locked.jsonl: cannot be read: permission denied"), "{}", done.err);
}

#[test]
fn a_missing_path_is_answered_with_an_example() {
    insta::assert_snapshot!(shown(&analyze(folder().path(), &[])));
}

#[test]
fn an_events_file_that_cannot_be_written_is_an_error() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), healthy("a", 2)).unwrap();
    let done = analyze(folder.path(), &["log.jsonl", "--events", "nowhere/events.jsonl"]);
    assert_eq!(done.code, Some(1));
    assert!(done.err.contains("cannot write nowhere/events.jsonl"), "{}", done.err);
}

#[test]
fn a_log_cannot_control_the_terminal() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), r#"{"run":"\u001b[31mred","score":1}"#).unwrap();
    assert!(!analyze(folder.path(), &["log.jsonl"]).out.contains('\u{1b}'));
}
