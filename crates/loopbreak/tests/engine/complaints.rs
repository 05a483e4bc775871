//! Loops that users of other detectors complained about because they were missed. Each test is named after
//! its complaint.

use crate::steps::{RunDriver, call, config, failing, played, sh, step, written};
use loopbreak::{DetectorName, Guard, Severity};
use serde_json::{Value, json};

const REPEATING: [DetectorName; 5] = [
    DetectorName::Cycle,
    DetectorName::Recurrence,
    DetectorName::Drift,
    DetectorName::FailingTarget,
    DetectorName::Poll,
];

/// Returns the first turn at which a detector of calls made a finding of at least this severity.
fn first(run: &RunDriver, severity: Severity) -> Option<u64> {
    let all = REPEATING.into_iter().flat_map(|detector| run.findings(detector));
    all.filter(|finding| finding.severity >= severity).map(|finding| finding.turn).min()
}

/// Returns the turns at which one of them led to an escalation or a stop.
fn strong(run: &RunDriver) -> Vec<u64> {
    let mut turns: Vec<u64> = REPEATING
        .into_iter()
        .flat_map(|detector| run.decisions(detector))
        .filter(|(_, act)| act.ends_run())
        .map(|(turn, _)| turn)
        .collect();
    turns.sort_unstable();
    turns
}

/// Checks that there is a warning and an intervention by these turns: once, and again only when the loop is
/// twice as bad.
#[track_caller]
fn assert_caught(run: &RunDriver, warned_by: u64, acted_by: u64) {
    let (warned, hard) = (first(run, Severity::Warn), first(run, Severity::Hard));
    assert!(warned.is_some_and(|turn| turn <= warned_by), "warned at {warned:?}");
    assert!(hard.is_some_and(|turn| turn <= acted_by), "hard at {hard:?}");
    let strong = strong(run);
    assert_eq!(strong.first().copied(), hard, "acts on the first hard finding");
    let doublings = hard.map_or(0, |hard| (run.guard.turn() / hard).ilog2() as usize);
    assert!(strong.len() <= 1 + doublings, "acts once, and again when twice as bad: {strong:?}");
}

#[test]
fn openclaw_16808_1535_dead_polls_warn_by_10_and_are_hard_by_20() {
    let poll = call("process", &json!({"action": "log", "sessionId": "calm-reef"}), "(no new output)");
    assert_caught(&played(vec![poll; 1535]), 10, 20);
}

#[test]
fn openclaw_34574_the_same_successful_exec_becomes_hard_after_the_warning() {
    let exec = call("exec", &json!({"command": "systemctl is-active gateway"}), "active\nexit code 0");
    assert_caught(&played(vec![exec; 121]), 4, 8);
}

#[test]
fn openclaw_117637_40_one_liners_with_one_file_not_found_error_are_caught() {
    let missing = "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\nFileNotFoundError: [Errno 2] No such file or directory: '/data/report.json'";
    let line = |n| format!("python3 -c \"print(open('/data/report.json').read()[:{n}])\"");
    let run = played((1..=40).map(|n| failing("exec", &json!({"command": line(n * 100)}), missing)));
    assert_caught(&run, 4, 8);
}

#[test]
fn openclaw_118402_errors_with_times_pids_and_attempt_counters_are_the_same_error() {
    let reply = |n: u64| {
        format!(
            "2026-02-03T10:{:02}:17Z worker[{}]: attempt {n} failed: connection refused by pid {}",
            n + 10,
            4000 + n,
            7000 + 3 * n
        )
    };
    let run = played((1..=30).map(|n| failing("exec", &json!({"command": "deploy --check"}), &reply(n))));
    assert_caught(&run, 4, 8);
}

#[test]
fn opencode_25254_text_between_the_calls_does_not_hide_the_loop() {
    let run = played((0..40).flat_map(|n| {
        [json!({"say": format!("Let me look again, number {n}.")}), sh("ls -la dist", "total 0")]
    }));
    assert_caught(&run, 8, 16);
}

#[test]
fn opencode_47759_alternating_lookup_and_search_are_caught_in_the_second_round() {
    let run = played((0..30).flat_map(|_| {
        [
            call("lookup", &json!({"symbol": "SessionStore"}), "no definition"),
            call("search", &json!({"query": "class SessionStore"}), "0 results"),
        ]
    }));
    assert_caught(&run, 4, 8);
}

#[test]
fn stella_4034_164_reads_that_wrap_around_are_caught_in_the_second_lap() {
    let run = played((0..164_u64).map(|n| {
        let offset = n % 25 * 40 + 1;
        let args = json!({"path": "src/engine.rs", "offset": offset, "limit": 40, "reason": "understand"});
        call("read_file", &args, &format!("{offset}: fn part_{offset}() {{}}"))
    }));
    assert_caught(&run, 50, 100);
}

#[test]
fn stella_1851_a_failing_test_between_different_reads_is_caught() {
    let failure = "error[E0425]: cannot find value `limit` in this scope";
    let run = played((0..30).flat_map(|n| {
        [
            failing("bash", &json!({"command": "cargo test"}), failure),
            call("read_file", &json!({"path": format!("src/m{n}.rs")}), &format!("mod m{n};")),
        ]
    }));
    assert_caught(&run, 8, 16);
}

#[test]
fn goose_8994_the_same_404_with_different_ids_is_caught() {
    let run = played((0..20).map(|n| {
        let id = format!("item-{}", 400 + n);
        failing("get_item", &json!({"id": id}), &format!("Request failed: 404 Not Found for \"{id}\""))
    }));
    assert_caught(&run, 4, 8);
}

#[test]
fn cindy_2721_two_nearly_identical_alternating_greps_are_caught_in_the_second_round() {
    let run = played((0..141).map(|n| {
        let flags = if n % 2 == 0 { "-rn" } else { "-rln" };
        sh(&format!("grep {flags} 'onResume' app/src"), "app/src/Main.kt")
    }));
    assert_caught(&run, 4, 8);
}

#[test]
fn claude_code_13315_bash_output_without_content_warns_at_10_and_is_hard_at_20() {
    let run = played(vec![call("BashOutput", &json!({"bash_id": "b1"}), "(No content)"); 300]);
    assert_eq!((first(&run, Severity::Warn), first(&run, Severity::Hard)), (Some(10), Some(20)));
    assert_caught(&run, 10, 20);
}

#[test]
fn hermes_112535_500_identical_terminal_calls_are_caught() {
    let run = played(vec![call("terminal", &json!({"command": "cat notes.md"}), "# Notes"); 500]);
    assert_caught(&run, 4, 8);
}

#[test]
fn hermes_67829_25_calls_with_one_validation_error_are_caught_whatever_is_said() {
    let run = played((0..25).map(|n| {
        let mut record = failing("memory", &json!({"content": "likes tea"}), "Missing argument: action");
        record["say"] = json!(format!("Now I will pass the action, try {n}."));
        record
    }));
    assert_caught(&run, 4, 8);
}

#[test]
fn qwen_code_2661_700_listings_of_a_missing_path_are_caught() {
    let reply = "Error: ENOENT: no such file or directory, scandir '/home/me/projct'";
    let run = played(vec![failing("list_directory", &json!({"path": "/home/me/projct"}), reply); 700]);
    assert_caught(&run, 4, 8);
}

#[test]
fn cline_3039_alternating_write_and_replace_are_caught() {
    let run = played((0..20).flat_map(|_| {
        [
            call("write_to_file", &json!({"path": "a.ts", "content": "let a = 1"}), "The file was saved."),
            failing(
                "replace_in_file",
                &json!({"path": "a.ts", "diff": "<<< let b"}),
                "The SEARCH block does not match anything in the file.",
            ),
        ]
    }));
    assert_caught(&run, 4, 8);
}

#[test]
fn cursor_3534_the_same_repeated_edit_is_caught() {
    let edit = json!({"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"});
    assert_caught(&played(vec![call("edit_file", &edit, "The file was updated."); 40]), 4, 8);
}

#[test]
fn codex_35361_the_same_patch_with_the_same_error_is_caught() {
    let patch = json!({"input": "*** Begin Patch\n*** Update File: a.rs\n-old\n+new\n*** End Patch"});
    let run = played(vec![failing("apply_patch", &patch, "Failed to find expected lines in a.rs"); 40]);
    assert_caught(&run, 4, 8);
}

#[test]
fn warns_of_a_question_that_is_only_reworded() {
    let asked = [
        "rust tokio runtime shutdown hangs",
        "tokio runtime shutdown hangs rust why",
        "why rust tokio runtime hangs on shutdown",
        "tokio runtime hangs at shutdown rust fix",
        "fix rust tokio runtime shutdown hangs",
    ];
    let run = played(asked.map(|query| call("web_search", &json!({"query": query, "lang": "en"}), query)));
    assert_eq!(first(&run, Severity::Warn), Some(4));
}

#[test]
fn cindy_2721_is_also_caught_if_each_grep_takes_twenty_seconds() {
    let run = played((0..141_u64).map(|n| {
        let flags = if n % 2 == 0 { "-rn" } else { "-rln" };
        let mut record = sh(&format!("grep {flags} 'onResume' app/src"), "app/src/Main.kt");
        record["at"] = json!(1_762_248_924_000_u64 + n * 21_000);
        record
    }));
    assert_caught(&run, 10, 20);
}

#[test]
fn goose_5155_a_depth_that_keeps_rising_is_caught() {
    let run = played((2..40).map(|n| {
        call("analyze", &json!({"path": ".", "max_depth": n}), &format!("{n} levels, {} files", n * 17))
    }));
    assert_caught(&run, 6, 12);
}

#[test]
fn pages_beyond_the_last_one_are_caught() {
    let run = played(
        (0..40).map(|n| call("read_file", &json!({"path": "a.rs", "offset": n * 40}), "(end of file)")),
    );
    assert_caught(&run, 4, 8);
}

#[test]
fn different_edits_that_are_all_rejected_are_caught() {
    let run = played((0..20).map(|n| {
        let args = json!({"path": "a.rs", "changes": [{"line": n, "text": format!("let a = {n};")}]});
        call("write_fix", &args, "Your fix did not target all the buggy lines, try again.")
    }));
    assert_caught(&run, 4, 8);
}

#[test]
fn a_test_that_fails_identically_after_each_of_many_edits_is_escalated_late() {
    let run = played((0..20).flat_map(|n| {
        let args =
            json!({"file_path": "a.rs", "old_string": format!("v{n}"), "new_string": format!("v{}", n + 1)});
        [
            call("edit", &args, "The file was updated."),
            failing("bash", &json!({"command": "cargo test"}), "1 failed: it_adds"),
        ]
    }));
    assert_eq!((first(&run, Severity::Warn), first(&run, Severity::Hard)), (Some(16), Some(32)));
}

#[test]
fn a_step_that_keeps_returning_between_others_is_caught() {
    let run = played((0..12).flat_map(|n| {
        [
            call("read_file", &json!({"path": "a.rs"}), "fn a() {}"),
            call("read_file", &json!({"path": format!("b{n}.rs")}), &format!("fn b{n}() {{}}")),
            sh(&format!("ls part{n}"), &format!("file{n}")),
        ]
    }));
    assert_caught(&run, 10, 22);
}

fn alternating(times: usize, swapped: bool) -> Vec<Value> {
    let pair = [sh("make lint", "2 warnings"), sh("make docs", "nothing to be done")];
    (0..times).map(|n| pair[(n + usize::from(swapped)) % 2].clone()).collect()
}

#[test]
fn a_loop_has_one_id_whichever_call_comes_first() {
    let id = |swapped| {
        let run = played(alternating(8, swapped));
        let findings = run.findings(DetectorName::Cycle);
        findings.first().map(|finding| finding.loop_id)
    };
    assert!(id(false).is_some());
    assert_eq!(id(false), id(true));
}

#[test]
fn a_user_message_restarts_the_count() {
    let mut run = RunDriver::new();
    let again = sh("make lint", "2 warnings");
    run.repeat(2, &again);
    run.see(&json!({"user": "try it once more"}));
    run.repeat(2, &again);
    assert_eq!(first(&run, Severity::Warn), None);
    run.see(&again);
    assert_eq!(first(&run, Severity::Warn), Some(6));
}

#[test]
fn a_guard_restored_in_the_middle_of_a_cycle_gives_the_same_verdicts() {
    let lived = played(alternating(20, false));
    for cut in [1, 3, 5, 7, 9] {
        let mut run = RunDriver::new();
        for (at, record) in alternating(20, false).iter().enumerate() {
            if at == cut {
                let text = serde_json::to_string(&run.guard.snapshot()).unwrap_or_default();
                let snapshot = serde_json::from_str(&text).expect("a snapshot can be read");
                run.guard = Guard::restore(config(json!({})), snapshot).expect("and restored");
            }
            run.see(record);
        }
        assert!(written(&run.verdicts) == written(&lived.verdicts), "cut at {cut}");
    }
}

#[test]
fn observe_mode_reports_the_loop_without_acting() {
    let mut run = RunDriver::with(config(json!({"mode": "observe"})));
    for record in alternating(20, false) {
        let verdict = run.guard.observe(&step(&record));
        assert!(verdict.strongest().is_none() && verdict.stop.is_none() && verdict.advice.is_empty());
        run.verdicts.push(verdict);
    }
    assert_eq!(first(&run, Severity::Hard), Some(8));
    assert!(run.findings(DetectorName::Cycle).iter().all(|finding| !finding.enforced));
}
