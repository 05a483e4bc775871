//! A breaker breaks: a loop that goes on after its warning is escalated, and what is said about it helps.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use crate::signals::{assert_broken, first_hard, first_warning, ran, timed};
use crate::steps::{RunDriver, call, config, config_of, failing, played, step, written};
use loopbreak::series::RunSummary;
use loopbreak::verdict::Audience;
use loopbreak::{Config, Intervention, Profile, Series, Severity};
use serde_json::{Value, json};

/// Two rooms, to and fro, without a score: a warning at the fourth move, a hard finding within thirty.
#[test]
fn two_rooms_to_and_fro_are_escalated_within_thirty_moves() {
    let rooms =
        [("east", "Hall", "A long hall with a clock."), ("west", "Attic", "Dust, beams and a trunk.")];
    let records = (0..60).map(|n| {
        let (way, place, text) = rooms[n % 2];
        json!({"action": format!("go {way}"), "outcome": text, "place": place})
    });
    assert_broken(&played(records), 6, 30);
}

/// A loop that goes on is escalated in every profile but that of the documents.
#[test]
fn a_loop_that_goes_on_is_escalated_in_every_profile() {
    for profile in [Profile::Auto, Profile::Game, Profile::Coding, Profile::Tasks, Profile::Iterations] {
        let mut run = RunDriver::with(config_of(profile, json!({})));
        run.repeat(40, &call("read_file", &json!({"path": "src/lib.rs"}), "pub mod shop;"));
        let hard = first_hard(&run);
        assert!(hard.is_some(), "{profile:?}");
        let acted =
            run.verdicts.iter().any(|verdict| verdict.strongest().is_some_and(Intervention::ends_run));
        assert!(acted, "{profile:?}: a hard finding at {hard:?} and nothing done");
    }
}

/// Returns writes of a file that all fail, with other content each time.
fn failing_writes(count: usize) -> impl Iterator<Item = Value> {
    (0..count).map(|n| {
        let args = json!({"path": "/etc/shop/app.conf", "content": format!("workers = {n}\n")});
        failing("file_write", &args, "EACCES: permission denied, open '/etc/shop/app.conf'")
    })
}

/// `michelbr84/GarraRUST#1295`: one warning before the end, which shows the call and its error.
#[test]
fn garrarust_1295_the_warning_comes_first_and_shows_call_and_error() {
    let run = played(failing_writes(20));
    let (warned, hard) = (first_warning(&run).unwrap(), first_hard(&run).unwrap());
    assert!(warned < hard, "warned at {warned}, hard at {hard}");
    let verdict = run.verdicts.iter().find(|verdict| verdict.turn == warned).unwrap();
    let texts = verdict.advice.iter().filter(|advice| advice.audience == Audience::Agent);
    let text: String = texts.map(|advice| advice.text.as_str()).collect();
    assert!(text.contains("file_write") && text.contains("permission denied"), "{text}");
}

/// `agent-tools-org/ai-dispatch#116`, `paperclipai/paperclip#3507`, `allenhutchison/obsidian-gemini#620`: a stop for a
/// loop changes the state of the run, and says in a field of its own that it was a loop.
#[test]
fn paperclip_3507_a_stop_for_a_loop_has_a_reason_of_its_own() {
    let mut run = RunDriver::with(config(json!({"policy": {"on_loop": "stop"}})));
    for record in failing_writes(12) {
        run.see(&record);
    }
    let stopped = run.verdicts.iter().find(|verdict| verdict.stop.is_some()).unwrap();
    assert!(stopped.turn <= 8, "stopped at {}", stopped.turn);
    let stop = &written(stopped)["stop"];
    assert_eq!(stop["ending"], "loop_break");
    let hard = stopped.findings.iter().find(|finding| finding.severity == Severity::Hard).unwrap();
    assert_eq!(stop["reason"], written(&hard.pattern));
}

/// `google-gemini/gemini-cli#26726`: fewer repeats can be asked for.
#[test]
fn gemini_cli_26726_a_loop_can_be_stopped_after_fewer_repeats() {
    let mut run = RunDriver::with(config(json!({"cycle": {"warn_at": 2, "hard_at": 3}})));
    run.repeat(5, &ran("make", 2, "make: *** No rule to make target 'all'.  Stop."));
    assert_broken(&run, 2, 3);
}

/// `OpenHands/OpenHands#5480`: the finding says where the loop began, so that the context before it can be kept.
#[test]
fn openhands_5480_the_hard_finding_says_where_the_loop_began() {
    let work = (0..7).map(|n| ran(&format!("cat docs/d{n}.md"), 0, &format!("Chapter {n}")));
    let run = played(work.chain(vec![call("browse", &json!({"url": "http://app.local"}), "blank page"); 12]));
    let all = run.verdicts.iter().flat_map(|verdict| &verdict.findings);
    let hard = all.clone().find(|finding| finding.severity == Severity::Hard).unwrap();
    assert_eq!((hard.since, hard.turn <= 15), (8, true));
}

/// `OpenHands/software-agent-sdk` PR 3565: a harness reads the reason as a code, the same for the same loop.
#[test]
fn software_agent_sdk_3565_the_reason_is_a_code() {
    let reasons = || {
        let run = played(failing_writes(12));
        let all = run.verdicts.iter().flat_map(|verdict| &verdict.findings);
        all.map(|finding| written(&finding.pattern)).collect::<Vec<Value>>()
    };
    let code = |reason: &Value| {
        let text = reason.as_str().unwrap_or_default();
        !text.is_empty() && text.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_')
    };
    assert!(reasons().iter().all(code) && !reasons().is_empty());
    assert_eq!(reasons(), reasons());
}

/// `anthropics/claude-code#56072`: an agent that starts itself. Each run has the same prompt and ends in the call
/// that starts the next one; over the runs, that gives a warning.
#[test]
fn claude_code_56072_an_agent_that_starts_itself_gives_a_warning_over_the_runs() {
    let settings = Config::default();
    let mut series = Series::new(settings.clone());
    let command = json!({"command": "claude -p 'Review the open pull requests and report'"});
    let prompt = json!({"user": "Review the open pull requests and report"});
    let records =
        (0..24).flat_map(|_| [prompt.clone(), json!({"action": {"name": "Bash", "args": command}})]);
    let warned = timed(records, 900).chunks(2).enumerate().find_map(|(number, records)| {
        let mut summary = RunSummary::new(&settings, format!("run {number}"));
        for record in records {
            summary.observe(&step(record));
        }
        let verdict = series.conclude(&summary);
        verdict.findings.iter().any(|finding| finding.severity >= Severity::Warn).then_some(number + 1)
    });
    assert!(warned.is_some_and(|runs| runs <= 20), "{warned:?}");
}
