//! Budgets of money in hooks, with the events and the transcripts of recorded sessions.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use loopbreak::Settings;
use loopbreak::detectors::SharedSpending;
use loopbreak_store::{RunKey, RunState, StoreUrl, open};
use loopbreak_trace::LogFormat;
use serde_json::Value;

use super::{NEW_BYTES, TranscriptCost, TranscriptPart};
use crate::{HookAgent, HookEnvironment, answer};

/// The folder of a recorded session, which the recording has in place of the real one.
const SESSION_FOLDER: &str = "/session";
/// Prices with which each call of the recorded model costs ten cents.
const PRICES: &str = r#""prices":{"claude-sonnet-5-5":{"input":100,"output":0},"gpt-5.5-codex":{"input":100,"output":0},
    "gemini-2.5-pro":{"input":100,"output":0},"scripted":{"input":100,"output":0}}"#;

/// A folder with a store, in which recorded sessions are played.
struct CostlySessions {
    folder: tempfile::TempDir,
    settings: Settings,
    parent: Option<String>,
}

/// Course of a session: the answers to its events, and the number of calls in what its transcript had by then.
struct PlayedSession {
    answers: Vec<Value>,
    calls: usize,
}

impl CostlySessions {
    fn new(budget: &str) -> Self {
        Self::with(&format!(r#"{{"budget":{budget},{PRICES}}}"#))
    }

    fn with(settings: &str) -> Self {
        let settings = serde_json::from_str(settings).unwrap();
        CostlySessions { folder: tempfile::tempdir().unwrap(), settings, parent: None }
    }

    /// Plays a recorded session under another name, this many milliseconds after it was recorded.
    fn play(&self, recording: &str, agent: &str, name: &str, later: i64) -> PlayedSession {
        let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded").join(recording);
        let read = |end: &str| fs::read_to_string(format!("{}.{end}", recorded.display()));
        let (hooks, log) = (read("hooks.jsonl").unwrap(), read("log.jsonl").unwrap_or_default());
        let clock = Cell::new(0);
        let environment = HookEnvironment {
            store: Some(self.store()),
            disabled: false,
            limit: None,
            clock: &|| clock.get(),
            user_config: None,
            find_agent: None,
            parent_run: self.parent.clone(),
            load_settings: &|_| Ok(self.settings.clone().into()),
            connect: None,
            warn: &|text| panic!("{text}"),
        };
        let place = self.folder.path().join(name);
        let agent: &dyn HookAgent = agent.parse().unwrap();
        let mut calls = 0;
        let answers = hooks.lines().map(|line| {
            let recorded: Value = serde_json::from_str(line).unwrap();
            clock.set(recorded["at"].as_i64().unwrap() + later);
            let mut event = recorded["event"].clone();
            event["session_id"] = name.into();
            let lines = usize::try_from(recorded["lines"].as_u64().unwrap_or(0)).unwrap();
            if let Some(path) = event["transcript_path"].as_str().filter(|_| lines > 0) {
                let path = PathBuf::from(path.replace(SESSION_FOLDER, place.to_str().unwrap()));
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                let text: String = log.lines().take(lines).flat_map(|line| [line, "\n"]).collect();
                calls = calls.max(count_calls(&text));
                fs::write(path, text).unwrap();
            }
            let event = event.to_string().replace(SESSION_FOLDER, place.to_str().unwrap());
            let answer = answer(Some(agent), event.as_bytes(), &environment);
            answer.map_or(Value::Null, |answer| serde_json::from_str(&answer).unwrap())
        });
        let answers = answers.collect();
        PlayedSession { answers, calls }
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join("loopbreak.db")
    }

    fn spending(&self, session: &str, now: i64) -> SharedSpending {
        open(&StoreUrl::from(self.store())).unwrap().spending(session, now).unwrap()
    }
}

impl PlayedSession {
    /// Returns the texts about a budget, with the numbers of their events.
    fn about(&self, budget: &str) -> Vec<(usize, String)> {
        let texts = self.answers.iter().map(Value::to_string).enumerate();
        texts.filter(|(_, text)| text.contains(&format!("{budget}: $"))).collect()
    }

    fn stops(&self) -> usize {
        self.answers.iter().filter(|answer| answer["continue"] == false).count()
    }
}

/// Counts the calls of the model in a transcript of any agent, each once.
fn count_calls(transcript: &str) -> usize {
    let mut calls = BTreeMap::new();
    for (number, line) in transcript.lines().enumerate() {
        let line: Value = serde_json::from_str(line).unwrap();
        let id = match &line {
            line if line["message"]["usage"].is_object() => line["message"]["id"].to_string(),
            line if line["payload"]["info"]["total_token_usage"].is_object() => {
                line["payload"]["info"]["total_token_usage"].to_string()
            }
            line if line["tokens"].is_object() => line["id"].to_string(),
            line if line["usageMetadata"].is_object() => line["uuid"].to_string(),
            _ => continue,
        };
        calls.entry(id).or_insert(number);
    }
    calls.len()
}

fn cents(usd: f64) -> i64 {
    (usd * 100.0).round() as i64
}

/// 2026-11-18 12:00 UTC, some hours after the recordings.
const NOON: i64 = 1_795_003_200_000;

#[test]
fn the_cost_of_a_session_is_that_of_the_calls_in_its_transcript() {
    for (recording, agent) in [
        ("claude-2.1.325/healthy", "claude-code"),
        ("codex-0.166.0/healthy", "codex"),
        ("gemini-0.61.0/healthy", "gemini"),
        ("qwen-0.24.4/healthy", "qwen"),
    ] {
        let sessions = CostlySessions::new(r#"{"max_cost_total":1000}"#);
        let played = sessions.play(recording, agent, "one", 0);
        assert!(played.calls > 5, "{recording}: {}", played.calls);
        let spent = sessions.spending("one", NOON);
        let expected = i64::try_from(played.calls).unwrap() * 10;
        assert_eq!((cents(spent.session), cents(spent.total)), (expected, expected), "{recording}");
        assert_eq!(played.stops(), 0);
    }
}

#[test]
fn two_sessions_use_up_one_budget_and_each_is_told_once() {
    let sessions = CostlySessions::new(r#"{"max_cost_day":1.75}"#);
    let first = sessions.play("claude-2.1.325/healthy", "claude-code", "first", 0);
    let spent = sessions.spending("first", NOON);
    assert!(cents(spent.day) < 140, "{spent:?}");
    assert_eq!((first.about("max_cost_day").len(), first.stops()), (0, 0));
    let second = sessions.play("claude-2.1.325/healthy", "claude-code", "second", 60_000);
    let told = second.about("max_cost_day");
    let warnings: Vec<&Value> = told.iter().map(|(number, _)| &second.answers[*number]).collect();
    let (warnings, ends): (Vec<&Value>, Vec<&Value>) =
        warnings.into_iter().partition(|answer| answer["continue"] != false);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let text = warnings[0]["systemMessage"].as_str().unwrap();
    assert!(text.contains("$1.50 of $1.75 used today since 2026-11-18 00:00 UTC, in all sessions"), "{text}");
    // The recorded agent went on, so the end stays due.
    let end = ends[0]["stopReason"].as_str().unwrap();
    assert!(end.contains("max_cost_day: $1.90 of $1.75 used today since 2026-11-18 00:00 UTC"), "{end}");
    assert_eq!(second.answers[told[1].0], *ends[0], "the warning comes first");
    // On the next day, there is a new budget.
    let day = 24 * 60 * 60 * 1000;
    let third = sessions.play("claude-2.1.325/healthy", "claude-code", "third", day);
    assert_eq!((third.about("max_cost_day").len(), third.stops()), (0, 0));
}

#[test]
fn a_new_session_is_told_with_its_first_prompt_that_the_budget_is_used_up() {
    let sessions = CostlySessions::new(r#"{"max_cost_hour":1.0}"#);
    let first = sessions.play("claude-2.1.325/healthy", "claude-code", "first", 0);
    assert!(first.stops() >= 1);
    let second = sessions.play("claude-2.1.325/healthy", "claude-code", "second", 1000);
    assert_eq!(second.about("max_cost_hour")[0].0, 0, "{:?}", second.answers);
    assert_eq!(second.answers[0]["continue"], false);
    let third = sessions.play("claude-2.1.325/healthy", "claude-code", "third", 2 * 60 * 60 * 1000);
    assert_ne!(third.answers[0]["continue"], false, "the hour is over");
}

#[test]
fn a_session_is_the_main_agent_with_its_subagents() {
    let sessions = CostlySessions::new(r#"{"max_cost_session":100}"#);
    let log =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded/claude-2.1.325/subagent.log-2.jsonl");
    let text = fs::read_to_string(log).unwrap();
    let inner = count_calls(&text);
    // The file of the subagent is there from its first event on.
    let session = "c0863c99-eac6-432b-aba0-18d6f4c2ba6b";
    let folder = sessions.folder.path().join("main/home/.claude/projects/-session-project");
    let folder = folder.join(session).join("subagents");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("agent-ab684def073e64edc.jsonl"), &text).unwrap();
    let played = sessions.play("claude-2.1.325/subagent", "claude-code", "main", 0);
    assert!(inner > 3 && played.calls > 3, "{inner} {}", played.calls);
    let spent = sessions.spending("main", NOON);
    let expected = i64::try_from(inner + played.calls).unwrap() * 10;
    assert_eq!(cents(spent.session), expected);
    let store = open(&StoreUrl::from(sessions.store())).unwrap();
    let key =
        |agent: &str| RunKey { source: "claude-code".into(), session: "main".into(), agent: agent.into() };
    for (agent, calls) in [("", played.calls), ("ab684def073e64edc", inner)] {
        let state = store.state(&key(agent)).unwrap();
        let state = RunState::parse(state.as_deref(), |error| panic!("{error}"));
        let usd = state.hook.costs.unwrap().usd;
        assert_eq!(cents(usd), i64::try_from(calls).unwrap() * 10, "{agent}");
    }
}

#[test]
fn tokens_of_a_model_without_a_price_are_not_guessed_and_the_user_is_told_once() {
    let sessions = CostlySessions::with(r#"{"budget":{"max_cost_session":0.01}}"#);
    let played = sessions.play("qwen-0.24.4/healthy", "qwen", "one", 0);
    assert_eq!((cents(sessions.spending("one", NOON).total), played.stops()), (0, 0));
    let told = |text: &str| played.answers.iter().filter(|answer| answer.to_string().contains(text)).count();
    assert_eq!(told("has no price"), 1, "{:?}", played.answers);
}

#[test]
fn agents_whose_transcripts_have_no_usage_say_so_once() {
    let sessions = CostlySessions::new(r#"{"max_cost_session":1}"#);
    let played = sessions.play("cline-3.0.65/failing-call", "cline", "one", 0);
    let told =
        played.answers.iter().filter(|answer| answer.to_string().contains("do not count this session"));
    assert_eq!(told.count(), 1, "{:?}", played.answers);
}

#[test]
fn without_a_budget_of_money_no_costs_are_read_and_none_are_stored() {
    let sessions = CostlySessions::new(r#"{"max_runtime":"10h"}"#);
    sessions.play("claude-2.1.325/healthy", "claude-code", "one", 0);
    assert_eq!(sessions.spending("one", NOON), SharedSpending::default());
}

#[test]
fn the_cost_of_a_session_is_a_part_of_the_run_that_has_started_it() {
    let mut sessions = CostlySessions::new(r#"{"max_cost_total":1000}"#);
    sessions.parent = Some("run-1".to_owned());
    let played = sessions.play("claude-2.1.325/healthy", "claude-code", "one", 0);
    let expected = i64::try_from(played.calls).unwrap() * 10;
    assert_eq!(cents(sessions.spending("run-1", NOON).session), expected);
}

#[test]
fn sessions_at_the_same_time_lose_no_cost() {
    let sessions = CostlySessions::new(r#"{"max_cost_total":1000}"#);
    let names = ["a", "b", "c", "d"];
    let calls: usize = std::thread::scope(|scope| {
        let play = |name| {
            let sessions = &sessions;
            scope.spawn(move || sessions.play("claude-2.1.325/healthy", "claude-code", name, 0).calls)
        };
        let all: Vec<_> = names.map(play).into_iter().collect();
        all.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert_eq!(cents(sessions.spending("a", NOON).total), i64::try_from(calls).unwrap() * 10);
}

/// Claude Code writes at the end of a session what it cost by its own prices.
#[test]
fn the_estimate_agrees_with_the_cost_that_claude_code_states() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recorded/claude-2.1.325");
    let mut compared = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let Some(name) = path.to_str().unwrap().strip_suffix(".log.jsonl").map(str::to_owned) else {
            continue;
        };
        let (mut stated, mut estimated) = (None, 0.0);
        for part in [path, PathBuf::from(format!("{name}.log-2.jsonl"))] {
            let Ok(text) = fs::read_to_string(&part) else { continue };
            for line in text.lines() {
                let line: Value = serde_json::from_str(line).unwrap();
                stated = line["totalCostUSD"].as_f64().or(stated);
            }
            let transcript = TranscriptPart {
                format: LogFormat::CLAUDE_CODE,
                path: part.to_str().unwrap(),
                is_own_file: true,
                deadline: None,
            };
            let update = transcript.read(None, &Settings::default()).unwrap();
            assert_eq!((update.unpriced, update.cost.at), (None, text.len() as u64));
            estimated += update.cost.usd;
        }
        let stated = stated.unwrap();
        assert!((estimated / stated - 1.0).abs() < 0.05, "{name}: {estimated} of {stated}");
        compared += 1;
    }
    assert_eq!(compared, 9);
}

#[test]
fn a_transcript_is_read_from_where_the_last_event_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.jsonl");
    let line = |id: &str, tokens: u32| {
        format!(
            r#"{{"type":"assistant","message":{{"id":"{id}","model":"claude-opus-4-6","usage":{{"input_tokens":0,"output_tokens":{tokens}}}}}}}"#
        )
    };
    let settings: Settings =
        serde_json::from_str(r#"{"prices":{"claude-opus-4-6":{"output":1000000}}}"#).unwrap();
    let read = |text: &str, known: Option<&TranscriptCost>| {
        fs::write(&path, text).unwrap();
        let part = TranscriptPart {
            format: LogFormat::CLAUDE_CODE,
            path: path.to_str().unwrap(),
            is_own_file: false,
            deadline: None,
        };
        part.read(known, &settings).unwrap().cost
    };
    let missing = TranscriptPart {
        format: LogFormat::CLAUDE_CODE,
        path: "/nowhere/t.jsonl",
        is_own_file: false,
        deadline: None,
    };
    assert_eq!(missing.read(None, &settings).unwrap().cost.at, 0, "it will begin there");
    assert!(missing.read(Some(&TranscriptCost::new("x", 4)), &settings).is_err());
    let mut text = line("old", 9) + "\n";
    let before = read(&text, None);
    assert_eq!((before.usd, before.at), (0.0, text.len() as u64), "what was there before is not counted");
    // A line that is being written is left for the next event.
    text += &line("m1", 3);
    assert_eq!(read(&text, Some(&before)), before);
    text.push_str(&["\n", &line("m1", 5), "\n\u{fffd}not json \"usage\"\n"].concat());
    let after = read(&text, Some(&before));
    assert_eq!((after.usd, after.unseen, after.at), (5.0, 5.0, text.len() as u64));
    assert_eq!(read(&text, Some(&after)), after, "nothing is counted twice");
    // A file that became shorter was replaced.
    assert!((read("\n", Some(&after)).usd - 5.0).abs() < 1e-9);
    // A line that is longer than what is read for one event is skipped.
    let long = format!("{text}{}\n{}\n", "x".repeat(NEW_BYTES as usize + 10), line("m2", 1));
    let first = read(&long, Some(&after));
    assert_eq!(first.at, after.at + NEW_BYTES);
    let second = read(&long, Some(&first));
    assert_eq!((second.usd, second.at), (6.0, long.len() as u64));
}
