//! A guard that is off, or only observes, is mentioned in every report: a variable that was left behind must not make every
//! run look clear.

use std::fs;
use std::path::Path;

use crate::support::{FinishedProgram, done, folder, loopbreak, stuck};

const OFF: &str = "Loopbreak is off, so no run was checked";
const OBSERVE: &str = "the mode is observe";

fn analyze(folder: &Path, mode: Option<&str>, args: &[&str]) -> FinishedProgram {
    let mut command = loopbreak(folder);
    command.env("XDG_STATE_HOME", folder.join("state"));
    if let Some(mode) = mode {
        command.env("LOOPBREAK", mode);
    }
    let done = done(command.arg("analyze").arg("log.jsonl").args(args));
    assert_eq!(done.code, Some(0), "{}", done.err);
    done
}

#[test]
fn every_report_says_that_the_guard_was_off() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), stuck("a", 50)).unwrap();
    for args in [&[][..], &["-q"], &["-v"]] {
        let done = analyze(folder.path(), Some("off"), args);
        assert_eq!(done.out.matches(OFF).count(), 1, "{args:?}: {}", done.out);
        assert!(!analyze(folder.path(), None, args).out.contains(OFF));
    }
    let json = analyze(folder.path(), Some("off"), &["--json"]);
    let report: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(report["mode"], "off");
    assert!(json.err.contains(OFF), "{}", json.err);
    let enforced = analyze(folder.path(), None, &["--json"]);
    let report: serde_json::Value = serde_json::from_str(&enforced.out).unwrap();
    assert_eq!((report.get("mode"), enforced.err.as_str()), (None, ""));
    for option in ["--html", "--markdown", "--junit", "--sarif", "--card"] {
        let written = |mode| {
            analyze(folder.path(), mode, &[option, "out"]);
            fs::read_to_string(folder.path().join("out")).unwrap()
        };
        assert!(written(Some("off")).contains(OFF), "{option}");
        assert!(!written(None).contains(OFF), "{option}");
    }
    let table = analyze(folder.path(), Some("off"), &["--csv", "-"]);
    assert!(table.err.contains(OFF) && !table.out.contains(OFF), "{}{}", table.out, table.err);
}

#[test]
fn the_configuration_counts_like_the_variable_and_observing_is_said_too() {
    let folder = folder();
    fs::write(folder.path().join("log.jsonl"), stuck("a", 50)).unwrap();
    for (mode, note) in [("off", OFF), ("observe", OBSERVE)] {
        let done = analyze(folder.path(), None, &["-q", "--set", &format!("mode={mode}")]);
        assert!(done.out.contains(note), "{}", done.out);
        for command in ["eval", "watch"] {
            let once = if command == "watch" { &["--once"][..] } else { &[] };
            let mut program = loopbreak(folder.path());
            let done = done_of(program.args([command, "log.jsonl"]).args(once).env("LOOPBREAK", mode));
            assert!(done.err.contains(note), "{command}: {}", done.err);
        }
    }
}

fn done_of(command: &mut assert_cmd::Command) -> FinishedProgram {
    done(command)
}
