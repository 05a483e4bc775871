//! Messages without actions and actions without effect: complaints of users, each test named after its
//! complaint, and the healthy work that resembles them.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use crate::steps::{RunDriver, call, config, played, sh, step};
use loopbreak::{Config, DetectorName, Intervention, Pattern, Series, Severity, Verdict, series::RunSummary};
use serde_json::{Value, json};

const TWO: [DetectorName; 2] = [DetectorName::Chant, DetectorName::Noop];

fn edit(old: &str, new: &str, reply: &str) -> Value {
    call("edit", &json!({"path": "src/app.ts", "oldText": old, "newText": new}), reply)
}

fn said(text: &str) -> Value {
    json!({"say": text})
}

/// Returns the turns of the first warning and of the first hard finding of a pattern.
fn first(run: &RunDriver, detector: DetectorName, pattern: &str) -> (Option<u64>, Option<u64>) {
    let at = |severity| {
        let all = run.findings(detector);
        let mut bad = all.iter().filter(|finding| finding.pattern == pattern && finding.severity == severity);
        bad.next().map(|finding| finding.turn)
    };
    (at(Severity::Warn), at(Severity::Hard))
}

#[track_caller]
fn assert_spared(records: impl IntoIterator<Item = Value>) {
    let run = played(records);
    for detector in TWO {
        let seen: Vec<_> =
            run.findings(detector).iter().map(|finding| (finding.turn, finding.pattern)).collect();
        assert!(seen.is_empty(), "{detector:?} {seen:?}");
    }
}

/// Returns a number of lines, each made from its index.
fn lines(numbers: std::ops::Range<usize>, line: impl Fn(usize) -> String) -> String {
    numbers.map(line).collect()
}

// Loops that must be caught.

#[test]
fn claude_code_66950_the_word_court_14645_times_is_a_hard_finding() {
    let run = played([
        json!({"user": "Summarise the ruling."}),
        said(&format!("The appeal was brought before the {}", "court ".repeat(14_645))),
    ]);
    assert_eq!(first(&run, DetectorName::Chant, "chant"), (None, Some(2)));
    let finding = run.findings(DetectorName::Chant)[0];
    assert_eq!(finding.evidence.text("unit"), Some("court"));
    assert!(run.decisions(DetectorName::Chant).contains(&(2, Intervention::Escalate)));
}

#[test]
fn opencode_12716_a_repeated_paragraph_gives_a_warning_and_is_hard_when_it_continues() {
    let text = "Let me reconsider. The function returns early, so the cache is never filled, and so it returns early. \
                I should look at the caller.\n"
        .repeat(5);
    let run = played([said(&text), said(&format!("Wait.\n{text}"))]);
    assert_eq!(first(&run, DetectorName::Chant, "chant"), (Some(1), None), "five rounds, not eight");
    let run = played([said(&text.repeat(2)), said(&text.repeat(2))]);
    assert_eq!(first(&run, DetectorName::Chant, "chant"), (Some(1), Some(2)));
}

#[test]
fn hermes_67829_twelve_promises_to_change_are_caught() {
    let run = played((0..12).map(|n| {
        let args = json!({"content": "likes tea"});
        let mut record = json!({"action": {"name": "memory", "args": args}});
        record["outcome"] = json!({"text": "Missing argument: action", "error": true});
        record["say"] =
            json!(format!("I see the mistake now. On attempt {n} I will pass the action argument."));
        record
    }));
    assert_eq!(first(&run, DetectorName::Chant, "repeated_message"), (Some(4), Some(8)));
}

#[test]
fn openclaw_86454_edits_that_replace_a_text_by_itself_are_caught() {
    let run = played((0..20).map(|n| {
        let text = format!("const limit = {n};");
        edit(&text, &text, "No changes made to src/app.ts")
    }));
    assert_eq!(first(&run, DetectorName::Noop, "no_change"), (Some(4), Some(8)));
}

#[test]
fn an_edit_that_changes_nothing_is_not_a_new_experiment() {
    let run = played((0..10).flat_map(|n| {
        let text = format!("const limit = {n};");
        [edit(&text, &text, "Edited src/app.ts"), sh("npm test", "1 failed")]
    }));
    assert_eq!(first(&run, DetectorName::Noop, "no_change"), (Some(7), Some(15)));
    let recycled = run.findings(DetectorName::Recurrence);
    assert!(!recycled.is_empty(), "the same test with the same outcome is a repeat");
}

#[test]
fn openclaw_72847_edits_that_report_success_but_do_not_change_the_file_are_caught() {
    let file = "export function retry() {\n  const attempts = 3; // too few\n}\n";
    let run = played((0..8).flat_map(|n| {
        [
            edit(
                "const attempts = 3; // too few",
                &format!("const attempts = {}; // enough", n + 4),
                "File updated.",
            ),
            call("read", &json!({"path": "src/app.ts"}), file),
        ]
    }));
    assert_eq!(first(&run, DetectorName::Noop, "no_effect"), (Some(8), Some(16)));
}

#[test]
fn hermes_34610_edits_that_undo_each_other_are_caught_with_other_steps_between() {
    let run = played((0..16).flat_map(|n| {
        let (old, new) =
            if n % 2 == 0 { ("timeout: 30", "timeout: 60") } else { ("timeout: 60", "timeout: 30") };
        [edit(old, new, "File updated."), sh("npm test", &format!("{} of 40 failed in suite {n}", n % 7))]
    }));
    assert_eq!(first(&run, DetectorName::Noop, "undone"), (Some(7), Some(15)));
}

#[test]
fn an_agent_that_only_talks_gets_a_warning_at_6_messages_and_a_hard_finding_at_12() {
    let talk =
        (0..14).map(|n| said(&format!("Next I am going to look into part {n} of the migration, carefully.")));
    let run = played([sh("ls", "a b")].into_iter().chain(talk));
    assert_eq!(first(&run, DetectorName::Noop, "idle"), (Some(7), Some(13)));
}

// Healthy work that must not be caught.

#[test]
fn gemini_cli_19953_a_translated_array_is_not_a_chant() {
    let words = ["Save", "Cancel", "Close", "Open", "OK"];
    let entry = |n: usize| format!("  {{\"id\": {n}, \"en\": \"{0}\", \"de\": \"{0}\"}},\n", words[n % 5]);
    let list: String = (0..300).map(entry).collect();
    assert_spared([said(&format!("```json\n[\n{list}]\n```")), said(&format!("[\n{list}"))]);
    let array = "  \"Speichern\",\n  \"Abbrechen\",\n".repeat(60);
    assert_spared([said(&array)]);
}

#[test]
fn numbered_lists_tables_rules_and_dots_are_not_chants() {
    let rows = lines(0..90, |n| format!("| case {n} | passed | no change |\n"));
    assert_spared([
        said(&lines(0..90, |n| format!("{n}. Move the component and fix its imports\n"))),
        said(&rows),
        said(&format!("Results\n{}\n", "-".repeat(3000))),
        json!({"outcome": format!("running the suite\n{}", ".".repeat(4000))}),
        json!({"outcome": "Waiting for the database to come up\n".repeat(60)}),
    ]);
}

#[test]
fn openhands_2505_three_replies_of_reasoning_are_not_a_loop() {
    assert_spared([
        sh("ls", "a b"),
        said("I have to think about which of the two modules owns the cache before I change it."),
        said("The first one fills it, the second one reads it, so the first one owns it, I believe."),
        said("That means that the change belongs into the first module and nowhere else. Good."),
        sh("cat first.rs", "fn fill() {}"),
    ]);
}

#[test]
fn short_acknowledgements_do_not_count_as_messages() {
    assert_spared((0..6).map(|_| said("Let me continue.")));
    assert_spared(
        (0..30).flat_map(|n| [said("Let me continue."), sh(&format!("cat m{n}.rs"), &format!("mod m{n};"))]),
    );
}

#[test]
fn the_same_words_before_different_work_are_a_batch() {
    assert_spared((0..30).flat_map(|n| {
        [
            said("Now let me move the next component and fix all of its imports."),
            sh(&format!("git mv old/c{n}.tsx new/c{n}.tsx"), "ok"),
        ]
    }));
    assert_spared((0..30).map(|n| {
        let mut record = edit(&format!("v{n}"), &format!("v{}", n + 1), "File updated.");
        record["say"] = json!("I will now bump the version in the next file and go on.");
        record
    }));
}

#[test]
fn a_conversation_is_not_idle() {
    assert_spared([sh("lookup", "order 7")].into_iter().chain((0..20).flat_map(|n| {
        [
            json!({"user": format!("And what about order {n}?")}),
            said("Could you please tell me your full name and the number of the order, so that I can look?"),
        ]
    })));
}

#[test]
fn agents_that_talk_to_each_other_are_not_idle() {
    assert_spared((0..40).map(|n| {
        let agent = ["planner", "critic"][n % 2];
        json!({"agent": agent, "say": format!("My view on point {n} is that we should weigh it against the others.")})
    }));
}

#[test]
fn one_reverted_change_and_one_unneeded_edit_are_not_a_loop() {
    assert_spared([
        edit("timeout: 30", "timeout: 60", "File updated."),
        sh("npm test", "2 failed"),
        edit("timeout: 60", "timeout: 30", "File updated."),
        edit("retries: 1", "retries: 3", "File updated."),
        edit("retries: 3", "retries: 3", "No changes made."),
        sh("npm test", "0 failed"),
        sh("git commit -am done", "1 file changed"),
    ]);
}

#[test]
fn a_switch_turned_on_and_off_between_other_work_is_not_a_loop() {
    assert_spared((0..10).flat_map(|n| {
        [
            edit("debug = false", "debug = true", "File updated."),
            sh("npm test", &format!("{n} failed")),
            edit("debug = true", "debug = false", "File updated."),
            edit(&format!("step {n}"), &format!("step {}", n + 1), "File updated."),
        ]
    }));
}

#[test]
fn reading_another_part_of_an_edited_file_does_not_judge_the_edit() {
    assert_spared((0..10).flat_map(|n| {
        [
            edit(
                &format!("const limit_{n} = 1; // low"),
                &format!("const limit_{n} = 9; // high"),
                "File updated.",
            ),
            call("read", &json!({"path": "src/app.ts", "offset": 1}), "import { a } from 'a';"),
        ]
    }));
}

// Several runs.

fn over(series: &mut Series, settings: &Config, name: &str, at: i64, records: &[Value]) -> Verdict {
    let mut summary = RunSummary::new(settings, name);
    for (index, record) in (0_i64..).zip(records) {
        let mut record = record.clone();
        record["at"] = json!(at + index);
        summary.observe(&step(&record));
    }
    series.conclude(&summary)
}

/// Returns the patterns found over runs that start a number of milliseconds apart.
fn found(runs: impl IntoIterator<Item = Vec<Value>>, apart: i64) -> Vec<(u64, Pattern)> {
    let settings = Config::default();
    let mut series = Series::new(settings.clone());
    let mut found = Vec::new();
    for (index, records) in (0_i64..).zip(runs) {
        // Stored and restored between any two runs, because an orchestrator does not outlive them.
        let state = serde_json::to_string(&series.snapshot()).unwrap();
        series = Series::restore(settings.clone(), serde_json::from_str(&state).unwrap());
        let at = 1_762_248_924_000 + index * apart;
        let verdict = over(&mut series, &settings, &format!("run {index}"), at, &records);
        assert!(verdict.findings.iter().all(|finding| finding.severity == Severity::Warn));
        found.extend(verdict.findings.iter().map(|finding| (finding.turn, finding.pattern)));
    }
    found
}

fn crash(prompt: &str) -> Vec<Value> {
    vec![
        json!({"user": prompt}),
        json!({"outcome": {"text": "Error: context window exceeded", "error": true}}),
    ]
}

#[test]
fn runs_that_end_early_give_a_warning_at_3_and_again_at_twice_as_many() {
    let runs = (0..12).map(|n| crash(&format!("Iteration {n}: implement the next item of PLAN.md")));
    assert_eq!(
        found(runs, 300_000),
        [(3, Pattern::DiesYoung), (6, Pattern::DiesYoung), (12, Pattern::DiesYoung)]
    );
}

#[test]
fn claude_code_69578_subagents_that_start_subagents_are_reported() {
    let child = || {
        let task = json!({"name": "Task", "args": {"prompt": "Delegate this to a subagent"}});
        vec![json!({"user": "Delegate this to a subagent, then report."}), json!({"action": task})]
    };
    let all = found((0..188).map(|_| child()), 320);
    assert_eq!(all.first(), Some(&(20, Pattern::Spawning)));
    assert!(all.len() <= 4, "{all:?}");
}

#[test]
fn batches_and_nightly_jobs_are_not_restarts() {
    let answer = json!({"say": "Done: see the report."});
    let batch = |n: usize| vec![json!({"user": format!("Translate page {n} of the manual")}), answer.clone()];
    assert_eq!(found((0..200).map(batch), 100), []);
    let failing = |n: usize| crash(&format!("Translate page {n} of the manual"));
    assert_eq!(found((0..50).map(failing), 100), [], "each page is another job");
    let nightly = || vec![json!({"user": "Write the nightly report."}), sh("report", "ok"), answer.clone()];
    assert_eq!(found((0..30).map(|_| nightly()), 86_400_000), []);
    let fixing =
        || vec![json!({"user": "Fix one more lint."}), edit("a", "b", "File updated."), crash("")[1].clone()];
    assert_eq!(found((0..10).map(|_| fixing()), 60_000), [], "each of them changed something");
}

#[test]
fn restart_is_silent_when_off_and_does_not_act_when_observing() {
    for (mode, expected) in [("off", 0), ("observe", 1)] {
        let settings = config(json!({"restart": {"mode": mode}}));
        let mut series = Series::new(settings.clone());
        let all: Vec<Verdict> = (0..4)
            .map(|n| over(&mut series, &settings, "r", n, &crash("Work through the whole plan.")))
            .collect();
        assert_eq!(all.iter().map(|verdict| verdict.findings.len()).sum::<usize>(), expected);
        assert!(all.iter().all(|verdict| verdict.advice.is_empty() && verdict.strongest().is_none()));
    }
}

#[test]
fn the_user_is_told_why_the_runs_ended() {
    let settings = Config::default();
    let mut series = Series::new(settings.clone());
    let mut last = Verdict::default();
    for n in 0..3 {
        last = over(&mut series, &settings, &format!("run {n}"), n, &crash("Work through the whole plan."));
    }
    let text = &last.advice[0].text;
    assert!(
        text.contains(r#"3 runs in a row with the same prompt ended early: "Work through the whole plan.""#),
        "{text}"
    );
    assert!(text.contains("It ended with: \"Error: context window exceeded\""), "{text}");
}
