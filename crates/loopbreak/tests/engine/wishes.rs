//! Further requests of users of loop detectors: loops that must end, texts that must be given, and work that
//! must not be reported.

use crate::steps::{RunDriver, call, config, played, sh};
use loopbreak::{DetectorName, Severity};
use serde_json::json;

/// Returns the turns with a finding of at least this severity.
fn turns(run: &RunDriver, severity: Severity) -> Vec<u64> {
    let findings = run.verdicts.iter().flat_map(|verdict| &verdict.findings);
    findings.filter(|finding| finding.severity >= severity).map(|finding| finding.turn).collect()
}

#[track_caller]
fn assert_spared(run: &RunDriver) {
    assert_eq!(turns(run, Severity::Warn), [0_u64; 0]);
}

#[test]
fn openhands_10750_nine_empty_commands_to_wait_for_a_build_are_waiting() {
    let wait = call("bash_output", &json!({"id": "build"}), "");
    assert_spared(&played(vec![wait.clone(); 9]));
    assert_eq!(turns(&played(vec![wait; 10]), Severity::Warn), [10]);
}

#[test]
fn gemini_cli_7950_many_similar_reads_and_edits_of_data_blocks_are_work() {
    let blocks = (0..40).flat_map(|n| {
        let block = json!({"path": "data.json", "block": format!("b{n}")});
        let change =
            json!({"path": "data.json", "old_string": format!("v{n}"), "new_string": format!("w{n}")});
        [
            call("load_block", &block, &format!("values {n}, {}", n * 3)),
            call("edit", &change, "The file was updated."),
        ]
    });
    assert_spared(&played(blocks));
}

#[test]
fn zylos_259_an_hour_of_silence_is_not_a_loop() {
    let at = 1_762_248_924_000_u64;
    let records = (0..6_u64).map(|n| {
        let mut record = sh(&format!("make part{n}"), &format!("part {n} built"));
        record["at"] = json!(at + n * 3_600_000);
        record
    });
    assert_spared(&played(records));
}

#[test]
fn openclaw_106231_a_loop_that_continues_after_the_block_is_reported_at_growing_intervals() {
    let run = played(vec![sh("openclaw status", "gateway down"); 600]);
    let strong: Vec<u64> = run
        .decisions(DetectorName::Cycle)
        .into_iter()
        .filter(|(_, act)| act.ends_run())
        .map(|(turn, _)| turn)
        .collect();
    assert_eq!(strong.first(), Some(&8));
    assert!(strong.len() > 3 && strong.last() > Some(&200), "it is never silent forever: {strong:?}");
}

#[test]
fn openclaw_128855_with_on_loop_stop_the_run_ends() {
    let mut run = RunDriver::with(config(json!({"policy": {"on_loop": "stop"}})));
    run.repeat(8, &sh("openclaw status", "gateway down"));
    assert_eq!(run.stops(), [8]);
}

#[test]
fn mimo_2474_hundreds_of_identical_successes_are_reported_more_than_once() {
    let run = played(vec![sh("npm run build", "build ok"); 300]);
    assert!(turns(&run, Severity::Hard).len() > 3);
}

#[test]
fn stella_6381_a_command_that_is_appended_to_itself_is_caught() {
    let command = |n: usize| vec!["cat notes.md | sort"; n].join(" && ");
    let run = played((1..40).map(|n| sh(&command(n), &format!("{n} lists"))));
    let (warned, hard) = (turns(&run, Severity::Warn), turns(&run, Severity::Hard));
    assert!(warned[0] <= 6 && hard[0] <= 12, "{warned:?} {hard:?}");
}

#[test]
fn a_command_that_is_built_up_in_a_few_steps_is_not_a_loop() {
    let tries = [
        "curl -s api/items",
        "curl -s api/items -H a",
        "curl -s api/items -H a -H b",
        "curl -s api/items -H a -H b -o x",
    ];
    assert_spared(&played(tries.map(|command| sh(command, &format!("{} bytes", command.len())))));
}

#[test]
fn deer_flow_1987_reads_of_ever_new_files_are_stopped_by_a_budget_with_a_reason() {
    let mut run = RunDriver::with(config(json!({"budget": {"max_iterations": 100}})));
    for n in 0..100 {
        run.see(&call("read_file", &json!({"path": format!("f{n}.py")}), &format!("def f{n}(): pass")));
    }
    assert_eq!(run.turns(DetectorName::Budget, Severity::Warn), [80]);
    assert_eq!(run.stops(), [100]);
    let reason = run.verdicts[99].stop.as_ref().map(|stop| stop.reason.to_string());
    assert_eq!(reason.as_deref(), Some("max_iterations"));
}

#[test]
fn claude_code_10214_a_todo_list_that_is_only_rewritten_is_caught() {
    let todos = call(
        "TodoWrite",
        &json!({"todos": [{"content": "fix the build", "status": "pending"}]}),
        "Todos have been modified.",
    );
    let run = played(vec![todos; 12]);
    assert_eq!((turns(&run, Severity::Warn)[0], turns(&run, Severity::Hard)[0]), (3, 8));
}

#[test]
fn cline_8787_a_success_of_another_tool_does_not_hide_the_mistakes() {
    let run = played((0..16).map(|n| {
        if n % 2 == 1 {
            return call("list_files", &json!({"path": format!("d{n}")}), &format!("file{n}"));
        }
        let args = json!({"path": "a.rs", "diff": format!("@@ {n}")});
        json!({"action": {"name": "replace_in_file", "args": args}, "outcome": {"text": "Error: the search block does not match", "error": true}})
    }));
    let (warned, hard) = (turns(&run, Severity::Warn), turns(&run, Severity::Hard));
    assert!(warned[0] <= 8 && hard[0] <= 16, "{warned:?} {hard:?}");
}

#[test]
fn opencode_23531_thresholds_are_staged_and_can_be_set() {
    let mut run = RunDriver::with(config(json!({"cycle": {"warn_at": 3, "hard_at": 6}})));
    run.repeat(6, &sh("ls", "a"));
    assert_eq!(run.turns(DetectorName::Cycle, Severity::Warn), [3]);
    assert_eq!(run.turns(DetectorName::Cycle, Severity::Hard), [6]);
}

#[test]
fn openhands_11431_the_finding_has_the_turn_at_which_the_loop_began() {
    let work = (0..5).map(|n| sh(&format!("cat f{n}"), &format!("text {n}")));
    let run = played(work.chain(vec![sh("make", "error 2"); 4]));
    assert_eq!(run.findings(DetectorName::Cycle)[0].since, 6);
}

#[test]
fn gemini_cli_19958_the_agent_is_told_that_it_is_in_a_loop() {
    let run = played(vec![sh("make", "error 2"); 3]);
    let text = crate::steps::text_for(
        &run.verdicts[2].advice,
        loopbreak::verdict::Audience::Agent,
        DetectorName::Cycle,
    );
    assert!(text.contains("3 times") && text.contains("make"), "{text}");
}
