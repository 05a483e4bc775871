//! Targets that keep failing whatever is tried, and work that only resembles it. Complaints 22 to 24.

use crate::steps::{RunDriver, call, config, failing};
use crate::{DetectorName, Pattern, Severity};
use serde_json::{Value, json};

const TARGET: DetectorName = DetectorName::FailingTarget;

fn say(command: &str, reply: &str) -> Value {
    json!({"action": command, "outcome": reply, "place": "Clearing"})
}

fn played(records: impl IntoIterator<Item = Value>) -> RunDriver {
    let mut run = RunDriver::only(&[TARGET]);
    for record in records {
        run.see(&record);
    }
    run
}

fn warned(run: &RunDriver) -> Vec<u64> {
    run.turns(TARGET, Severity::Warn)
}

/// Returns eight verbs at one grating, each refused in other words.
fn grating() -> Vec<Value> {
    vec![
        say("open grating", "The grating is locked."),
        say("push the grating", "It won't budge."),
        say("pull grating", "You can't move that."),
        say("examine grating", "A solid iron grating."),
        say("pry grating with lamp", "I don't see how that would help."),
        say("kick grating", "Nothing happens."),
        say("look", "You are in a clearing. There is a grating here."),
        say("unlock grating with leaves", "You cannot do that!"),
        say("lift iron grating", "You can't see that here."),
        say("break grating", "That doesn't work."),
        say("shake grating", "Nothing moves."),
    ]
}

#[test]
fn different_verbs_at_one_thing_warn_at_the_fourth_refusal_and_are_hard_at_the_eighth() {
    let run = played(grating());
    assert_eq!((warned(&run), run.turns(TARGET, Severity::Hard)), (vec![5], vec![11]));
    let finding = run.findings(TARGET)[0];
    assert_eq!((finding.pattern, finding.since, finding.count), (Pattern::FailingTarget, 1, 4));
    assert_eq!(finding.evidence.get("target"), Some(&json!("grating").into()));
}

#[test]
fn a_success_a_new_action_a_score_or_a_user_message_restarts_the_count() {
    let opens = say("open grating", "The grating opens with a creak.");
    let deed = say("drop egg", "Dropped.");
    let mut score = say("wave sceptre", "There is no effect on the rainbow.");
    score["score"] = json!(5);
    let user = json!({"user": "keep trying"});
    for between in [opens, deed, score, user] {
        let mut run = played([json!({"score": 1})]);
        for record in &grating()[..3] {
            run.see(record);
        }
        run.see(&between);
        for record in &grating()[..3] {
            run.see(record);
        }
        assert!(run.findings(TARGET).is_empty(), "{between}");
    }
}

#[test]
fn a_thing_left_for_long_is_forgotten_and_one_at_another_place_is_different() {
    let mut run = played(grating().into_iter().take(3));
    for n in 0..20 {
        run.see(&say("look", &format!("Birds sing, {n} of them.")));
    }
    run.see(&grating()[5]);
    assert!(run.findings(TARGET).is_empty());
    let mut elsewhere = say("open grating", "It is locked.");
    elsewhere["place"] = json!("Cellar");
    let run = played(grating().into_iter().take(3).chain(vec![elsewhere; 3]));
    assert!(run.findings(TARGET).is_empty());
}

#[test]
fn many_things_tried_once_are_not_a_failing_target() {
    let things = ["lamp", "rug", "case", "sword", "egg", "nest", "mat", "mailbox", "window", "door"];
    let run = played(things.iter().flat_map(|thing| {
        [
            say(&format!("examine {thing}"), "You see nothing special."),
            say(&format!("take {thing}"), "You can't take that."),
        ]
    }));
    assert!(run.findings(TARGET).is_empty());
}

#[test]
fn cline_3039_one_file_that_fails_with_varied_tools_and_messages_is_caught() {
    let tries = [
        ("replace_in_file", "The SEARCH block does not match anything in the file."),
        ("write_to_file", "Error: content is truncated"),
        ("read_file", ""),
        ("edit_file", "old_string was found 3 times"),
        ("apply_diff", "No sufficiently similar match found at line 12"),
        ("read_file", ""),
        ("replace_in_file", "Malformed block: missing divider"),
    ];
    let run = played(tries.iter().enumerate().map(|(n, (tool, reply))| {
        let args = json!({"path": if n % 2 == 0 { "src/a.ts" } else { "./src/a.ts" }, "try": n});
        if reply.is_empty() { call(tool, &args, "let a = 1") } else { failing(tool, &args, reply) }
    }));
    assert_eq!(warned(&run), [5], "a readable file may still not be editable");
}

#[test]
fn qwen_code_2661_a_missing_folder_is_caught_with_different_listing_tools() {
    let path = json!({"path": "/home/me/projct"});
    let tools = ["list_directory", "ListFiles", "read_folder", "list_files"];
    let run = played((0..700).map(|n| {
        failing(
            tools[n % 4],
            &path,
            &format!("ENOENT {n}: no such file or directory, scandir '/home/me/projct'"),
        )
    }));
    assert_eq!((warned(&run), run.turns(TARGET, Severity::Hard)[0]), (vec![4], 8));
}

#[test]
fn cursor_3534_an_edit_that_keeps_failing_is_caught_and_an_effective_one_ends_it() {
    let edit =
        |n: usize| json!({"file_path": "a.py", "old_string": format!("x = {n}"), "new_string": "x = 9"});
    let fail = |n| failing("edit", &edit(n), &format!("String x = {n} not found in file"));
    assert_eq!(warned(&played((0..6).map(fail))), [4]);
    let run = played((0..12).map(|n| if n % 3 == 2 { call("edit", &edit(n), "ok") } else { fail(n) }));
    assert!(run.findings(TARGET).is_empty());
}

#[test]
fn the_target_of_a_shell_command_is_the_file_that_its_failure_names() {
    let missing = |command: &str| {
        let reply = format!("{}: data/report.json: No such file or directory", &command[..3]);
        failing("bash", &json!({"command": command}), &reply)
    };
    let commands =
        ["cat data/report.json", "head -3 data/report.json", "jq . data/report.json", "wc data/report.json"];
    assert_eq!(warned(&played(commands.map(missing))), [4]);
}

#[test]
fn tests_that_fail_between_effective_edits_are_not_a_failing_target() {
    let run = played((0..12).flat_map(|n| {
        [
            call("edit", &json!({"file_path": "src/a.py", "new_string": format!("x = {n}")}), "ok"),
            failing("bash", &json!({"command": "pytest tests/test_a.py"}), "FAILED tests/test_a.py::test_x"),
        ]
    }));
    assert!(run.findings(TARGET).is_empty());
}

#[test]
fn a_batch_of_files_and_searches_without_a_match_are_not_a_failing_target() {
    let run = played((0..30).flat_map(|n| {
        [
            failing("convert", &json!({"path": format!("d{n}.csv")}), "Error: bad header"),
            failing("grep", &json!({"pattern": format!("p{n}"), "path": "src"}), "no match"),
        ]
    }));
    assert!(run.findings(TARGET).is_empty());
}

#[test]
fn openclaw_16808_an_unchanged_log_is_a_poll_and_not_a_cycle() {
    let poll = call("process", &json!({"action": "log", "sessionId": "calm-reef"}), "(no new output)");
    let mut run = RunDriver::new();
    run.repeat(40, &poll);
    assert_eq!(run.turns(DetectorName::Poll, Severity::Warn), [10]);
    assert_eq!(run.turns(DetectorName::Poll, Severity::Hard)[0], 20);
    assert!(run.findings(DetectorName::Cycle).is_empty());
}

#[test]
fn refusal_words_and_forget_after_can_be_set() {
    let patch = json!({"failing_target": {"refusals": ["nada"], "warn_at": 2, "hard_at": 3}});
    let mut run = RunDriver::with(config(patch));
    run.repeat(3, &say("open grating", "The grating is locked."));
    assert!(run.findings(TARGET).is_empty());
    run.repeat(2, &say("open grating", "Nada."));
    assert_eq!(warned(&run), [5]);
}
