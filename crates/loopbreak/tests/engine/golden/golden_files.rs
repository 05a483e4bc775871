//! The tests of the golden files.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]
#![expect(
    clippy::disallowed_methods,
    reason = "the engine reads no file, but this test reads the golden files"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use loopbreak::event::SafetyGuard;
use loopbreak::step::{Denial, HarnessEvent};
use loopbreak::verdict::Audience;
use loopbreak::{DetectorName, Intervention, Pattern, Profile, Severity};

use super::golden_coverage::GoldenCoverage;
use super::golden_player::GoldenPlayer;
use super::golden_script::GoldenScript;
use super::{detector_scripts, place_scripts, random_scripts, settings_scripts, task_scripts};

/// The variable that makes the test write the files instead of comparing them.
const UPDATE_VARIABLE: &str = "LOOPBREAK_UPDATE_GOLDEN";

/// The size of all files together, in bytes, that must not be exceeded: every checkout has them.
const MOST_BYTES: usize = 3_300_000;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

fn scripts() -> Vec<GoldenScript> {
    vec![
        detector_scripts::calls(),
        detector_scripts::words(),
        place_scripts::places(),
        task_scripts::tasks(),
        settings_scripts::settings(),
        settings_scripts::logs(),
        random_scripts::random(),
        random_scripts::snapshots(),
    ]
}

/// Returns the answers of a file: the lines that are not played.
fn answers(text: &str) -> Vec<&str> {
    let mut player = GoldenPlayer::new();
    let mut lines = text.lines();
    let mut answers = Vec::new();
    while let Some(line) = lines.next() {
        if let Some(answer) = player.play(line) {
            let kept = lines.next().unwrap();
            assert_eq!(answer, kept, "{line}");
            answers.push(kept);
        }
    }
    answers
}

#[test]
fn the_golden_files_are_byte_for_byte_what_the_engine_answers() {
    let mut names = BTreeSet::new();
    let mut bytes = 0;
    for script in scripts() {
        let path = folder().join(format!("{}.jsonl", script.name));
        let text = script.answered();
        bytes += text.len();
        assert!(names.insert(format!("{}.jsonl", script.name)), "two files are named {}", script.name);
        if std::env::var_os(UPDATE_VARIABLE).is_some() {
            fs::write(&path, &text).unwrap();
            continue;
        }
        let kept = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let differs = |(_, (kept, now)): &(usize, (&str, &str))| kept != now;
        if let Some((index, (kept, now))) = kept.lines().zip(text.lines()).enumerate().find(differs) {
            panic!("{}, line {}:\n  was {kept}\n  is  {now}", path.display(), index + 1);
        }
        assert_eq!(kept.lines().count(), text.lines().count(), "{}", path.display());
    }
    assert!(bytes <= MOST_BYTES, "{bytes} bytes");
    let files =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let strange: Vec<String> = files.filter(|name| name != "README.md" && !names.contains(name)).collect();
    assert!(strange.is_empty(), "nothing writes {strange:?}");
}

#[test]
fn every_name_of_the_engine_occurs_in_the_golden_files() {
    let mut coverage = GoldenCoverage::default();
    let mut played = String::new();
    let mut answered = 0;
    for script in scripts() {
        let text = script.answered();
        let lines = answers(&text);
        answered += lines.len();
        for answer in lines {
            coverage.add(answer);
        }
        played.push_str(&text);
    }
    assert!(answered >= 4000, "{answered} answers");
    let mut missing = Vec::new();
    let mut expect = |keys: &[&str], names: Vec<&'static str>| missing.extend(coverage.missing(keys, names));
    expect(&["detector"], DetectorName::ALL.iter().map(DetectorName::as_str).collect());
    expect(&["pattern"], Pattern::ALL.iter().map(Pattern::as_str).collect());
    expect(&["intervention", "act"], Intervention::ALL.iter().map(|name| name.as_str()).collect());
    expect(&["severity"], Severity::ALL.iter().map(|name| name.as_str()).collect());
    expect(&["guard"], SafetyGuard::ALL.iter().map(|name| name.as_str()).collect());
    expect(&["for", "audience"], Audience::ALL.iter().map(|name| name.as_str()).collect());
    expect(&["event_type"], EVENTS.to_vec());
    assert!(missing.is_empty(), "{missing:?} occur in no answer");
    // What the lines ask for.
    let holds = |key: &str, name: &str| played.contains(&format!("\"{key}\":\"{name}\""));
    for profile in Profile::ALL.iter().filter(|profile| **profile != Profile::Auto) {
        assert!(holds("profile", profile.as_str()), "{profile}");
    }
    assert!(Denial::ALL.iter().all(|denial| holds("denied", denial.as_str())), "denials");
    assert!(HarnessEvent::ALL.iter().all(|event| holds("harness", event.as_str())), "harness");
}

/// The names of all events. A test of the module of events holds that there are no others.
const EVENTS: [&str; 13] = [
    "score_change",
    "progress_check",
    "progress_detected",
    "loop_break_warning",
    "stuck_termination",
    "location_penalty_applied",
    "loop_penalty_applied",
    "oscillation_detected",
    "camping_detected",
    "loop_detected",
    "loop_recovery",
    "escalation",
    "guard_tripped",
];
