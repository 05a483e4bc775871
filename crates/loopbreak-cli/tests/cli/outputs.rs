//! The report in other formats: tables, job summaries, test results, code scanning.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{analyze, folder, healthy, root, shown, stuck};
use serde_json::Value;

/// A text with special characters of all output formats.
const NASTY: &str =
    r#"=cmd|' /C calc'!A0 \"><b>&amp;]]> | `x` [a](http:\/\/b) {0} @all \u0000\u001b[2J\r\n\u202e\ufffe,é"#;

/// Writes a stopped, a warned, a clear and a hostile run to two files, and a task that loops across all of
/// them.
fn logs(folder: &Path) {
    let logs = folder.join("logs");
    fs::create_dir(&logs).unwrap();
    fs::write(logs.join("one.jsonl"), stuck("stopped", 45) + &stuck("warned", 25) + &healthy("clear", 9))
        .unwrap();
    let mut nasty = String::new();
    for turn in 1..=9 {
        _ = writeln!(
            nasty,
            "{{\"run\":\"{NASTY}\",\"turn\":{turn},\"at\":\"2025-11-04T09:35:{turn:02}Z\",\"action\":{{\"name\":\"{NASTY}\"}},\"outcome\":\"{NASTY}\",\"usage\":{{\"input_tokens\":100,\"cost_usd\":0.01}}}}"
        );
    }
    fs::write(logs.join("two é#.jsonl"), nasty).unwrap();
    let attempt =
        r#"{"task":{"id":"T1","status":"blocked","blockers":["no network"],"work":["read config"]}}"#;
    for file in ["t1.jsonl", "t2.jsonl", "t3.jsonl"] {
        fs::write(logs.join(file), attempt).unwrap();
    }
}

fn output(option: &str) -> String {
    let folder = folder();
    logs(folder.path());
    let done = analyze(folder.path(), &["logs", option, "-"]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "{}", done.err);
    done.out
}

/// Returns the output for a log with an item that cannot be read.
fn output_with_unread_items(option: &str) -> String {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), crate::unread_items::LOG).unwrap();
    analyze(folder.path(), &["log.jsonl", option, "-"]).out
}

#[test]
fn csv_has_one_line_per_run() {
    let csv = output("--csv");
    insta::assert_snapshot!(csv.replace('\r', "␍"));
    assert!(csv.contains("\"'=cmd|"), "a formula is prefixed: {csv}");
}

#[test]
fn csv_can_be_read_back_by_rfc_4180() {
    let rows = parse_csv(&output("--csv"));
    assert_eq!(rows.len(), 1 + 7);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{rows:?}");
    let column = |name: &str| rows[0].iter().position(|cell| cell == name).unwrap();
    let stopped = rows.iter().find(|row| row[0] == "stopped").unwrap();
    assert_eq!(
        (stopped[column("verdict")].as_str(), stopped[column("first_stop_turn")].as_str()),
        ("stop", "40")
    );
    let nasty = rows.iter().find(|row| row[0].contains("calc")).unwrap();
    assert!(nasty[0].starts_with("'=cmd|' /C calc'!A0 \"><b>"), "{:?}", nasty[0]);
    assert_eq!(nasty[column("started")], "2025-11-04T09:35:01.000Z");
}

/// Parses CSV strictly by RFC 4180.
fn parse_csv(text: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let mut chars = text.chars().peekable();
    let mut quoted = false;
    while let Some(char) = chars.next() {
        let row = rows.last_mut().unwrap();
        match char {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                row.last_mut().unwrap().push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\r' if !quoted => {
                assert_eq!(chars.next(), Some('\n'));
                rows.push(vec![String::new()]);
            }
            char => row.last_mut().unwrap().push(char),
        }
    }
    assert_eq!(rows.pop(), Some(vec![String::new()]), "the last line is ended too");
    rows
}

#[test]
fn every_column_is_documented() {
    let guide = fs::read_to_string(root().join("docs/guide/outputs.md")).unwrap();
    for (name, meaning, _) in loopbreak_report::outputs::COLUMNS {
        let row = format!("| `{name}` | {meaning} |");
        assert!(guide.contains(&row), "docs/guide/outputs.md lacks the row: {row}");
    }
}

#[test]
fn markdown_shows_the_totals_and_the_worst_runs_first() {
    let page = output("--markdown");
    insta::assert_snapshot!(page);
    assert!(!page.contains('\u{1b}') && !page.contains('\u{202e}'));
    let rows = page.lines().filter(|line| line.starts_with("| stop") || line.starts_with("| warn"));
    let cells = |row: &str| row.replace("\\|", "").matches('|').count();
    assert_eq!(rows.map(cells).collect::<Vec<_>>(), [8, 8, 8], "nothing breaks out of its cell");
}

#[test]
fn markdown_is_bounded_for_any_number_of_runs() {
    let folder = folder();
    let log: String = (0..300).map(|index| stuck(&format!("{index}-{}", "x".repeat(500)), 41)).collect();
    fs::write(folder.path().join("log.jsonl"), log).unwrap();
    let page = analyze(folder.path(), &["log.jsonl", "--markdown", "-"]).out;
    assert!(page.contains("250 more runs are left out."), "{page}");
    assert!(page.len() < 30_000, "{}", page.len());
}

#[test]
fn junit_has_one_suite_per_source_and_one_case_per_run() {
    insta::assert_snapshot!(output("--junit"));
}

#[test]
fn junit_follows_its_schema() {
    let folder = folder();
    let file = folder.path().join("loops.xml");
    let schema = root().join("crates/loopbreak-cli/tests/schemas/junit.xsd");
    let valid = |file: &Path| {
        let mut xmllint = Command::new("xmllint");
        xmllint.args(["--noout", "--nonet", "--schema"]).arg(&schema).arg(file);
        xmllint.output().expect("xmllint is needed; `cargo xtask ci` installs it")
    };
    for text in [output_with_unread_items("--junit"), output("--junit")] {
        fs::write(&file, text).unwrap();
        let checked = valid(&file);
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    }
    // The check fails on invalid output.
    let broken = fs::read_to_string(&file).unwrap().replace("failures=", "falures=");
    fs::write(&file, broken).unwrap();
    assert!(!valid(&file).status.success());
}

/// Returns the schema of the standard, from a crate that is generated from it.
fn sarif_schema() -> Value {
    let cargo = |args: &[&str]| {
        let output = Command::new(env!("CARGO")).args(args).current_dir(root()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    // Crates for other platforms may be missing, and a test must not download anything.
    let about = cargo(&["-vV"]);
    let host = about.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let metadata =
        cargo(&["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
    let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap());
    let schema = fs::read_to_string(manifest.parent().unwrap().join("src/schema.json")).unwrap();
    let mut schema: Value = serde_json::from_str(&schema).unwrap();
    // The pattern of this key has one bracket too many, so strict parsers reject it. The key is never
    // written.
    for part in ["run", "toolComponent"] {
        let language = schema["definitions"][part]["properties"]["language"].as_object_mut().unwrap();
        language.remove("pattern").unwrap();
    }
    schema
}

#[test]
fn sarif_follows_its_schema() {
    let log: Value = serde_json::from_str(&output("--sarif")).unwrap();
    let schema = sarif_schema();
    assert_eq!(schema["properties"]["version"]["enum"][0], "2.1.0");
    let validator = jsonschema::validator_for(&schema).unwrap();
    let unread: Value = serde_json::from_str(&output_with_unread_items("--sarif")).unwrap();
    for log in [&log, &unread] {
        let errors: Vec<String> =
            validator.iter_errors(log).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
    let mut broken = log.clone();
    broken["runs"][0]["results"][0]["level"] = "dreadful".into();
    assert!(!validator.is_valid(&broken), "the check has teeth");
    // As other programs read it.
    let read: serde_sarif::sarif::Sarif = serde_json::from_value(log).unwrap();
    assert_eq!(read.runs.len(), 1);
}

#[test]
fn sarif_has_every_finding_with_its_rule_location_and_loop() {
    let mut log: Value = serde_json::from_str(&output("--sarif")).unwrap();
    let run = &mut log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].take();
    let rules = rules.as_array().unwrap();
    let mut levels = BTreeSet::new();
    for result in run["results"].as_array().unwrap() {
        let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(rule["help"]["markdown"].as_str().unwrap().starts_with("**Catches** "), "{rule}");
        levels.insert(result["level"].as_str().unwrap());
    }
    assert_eq!(Vec::from_iter(levels), ["error", "warning"]);
    run["tool"]["driver"]["version"] = "[version]".into();
    run["tool"]["driver"]["semanticVersion"] = "[version]".into();
    insta::assert_snapshot!(serde_json::to_string_pretty(&log).unwrap());
}

#[test]
fn several_outputs_go_to_files_and_the_report_is_still_printed() {
    let folder = folder();
    logs(folder.path());
    let args =
        ["logs", "-q", "--csv", "a.csv", "--markdown", "a.md", "--junit", "a.xml", "--sarif", "a.sarif"];
    let done = analyze(folder.path(), &args);
    assert!(done.out.starts_with("7 runs, "), "{}", done.out);
    for (file, begin) in
        [("a.csv", "run,"), ("a.md", "## Loopbreak\n"), ("a.xml", "<?xml "), ("a.sarif", "{\n")]
    {
        let text = fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(text.starts_with(begin), "{file}: {text}");
    }
}

#[test]
fn impossible_outputs_are_refused_before_anything_is_read() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), healthy("a", 3)).unwrap();
    let mut told = String::new();
    for args in [
        &["log.jsonl", "--csv", "-", "--junit", "-"][..],
        &["log.jsonl", "--json", "--csv", "-"],
        &["log.jsonl", "--csv", "x", "--sarif", "x"],
        &["log.jsonl", "--html", "x", "--markdown", "x"],
        &["log.jsonl", "--events", "x", "--junit", "x"],
        &["log.jsonl", "--csv", "./log.jsonl"],
    ] {
        let done = analyze(folder.path(), args);
        assert_eq!(done.code, Some(2), "{args:?}");
        told += &shown(&done);
    }
    insta::assert_snapshot!(told);
    assert_eq!(fs::read_to_string(folder.path().join("log.jsonl")).unwrap(), healthy("a", 3));
    assert_eq!(analyze(folder.path(), &["log.jsonl", "--csv", "no/such/folder/x"]).code, Some(1));
}

#[cfg(unix)]
#[test]
fn a_device_is_written_to_and_not_replaced() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), healthy("a", 3)).unwrap();
    std::os::unix::fs::symlink("/dev/null", folder.path().join("null")).unwrap();
    assert_eq!(analyze(folder.path(), &["log.jsonl", "--csv", "null"]).code, Some(0));
    assert!(fs::symlink_metadata(folder.path().join("null")).unwrap().is_symlink());
}
