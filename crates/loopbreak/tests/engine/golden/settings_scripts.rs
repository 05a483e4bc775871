//! One run under many settings, and generated logs of the command line under several profiles.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]
#![expect(
    clippy::disallowed_methods,
    reason = "the engine reads no file, but this test reads the generated logs"
)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use loopbreak::Profile;
use serde_json::{Value, json};

use super::golden_script::GoldenScript;
use crate::steps::{call, failing, sh};

/// Steps that many options have a say in.
fn eventful() -> Vec<Value> {
    let mut steps = vec![json!({"user": "Make the tests pass.", "model": "m-1"})];
    for n in 0..9 {
        steps.push(failing("bash", &json!({"command": "cargo test"}), "error: test `größer` failed"));
        if n % 3 == 2 {
            steps.push(json!({"say": "I will look at the file once more."}));
        }
    }
    steps.extend((0..5).map(|_| sh("git push origin main", "Everything up-to-date")));
    steps.extend((0..10).map(|_| call("check_deploy", &json!({"id": 7}), "state: running")));
    steps
        .extend((0..3).map(
            |_| json!({"action": {"name": "bash", "args": {"command": "cargo test"}}, "refused": true}),
        ));
    steps.extend((0..6).map(|n| {
        let (way, place) = [("north", "A"), ("south", "B")][n % 2];
        json!({"action": way, "place": place, "critic": {"score": 0.7}})
    }));
    steps
}

/// One run under many settings.
pub(super) fn settings() -> GoldenScript {
    let mut script = GoldenScript::new("settings");
    let all = [
        json!({"mode": "observe"}),
        json!({"mode": "off"}),
        json!({"policy": {"holdout": 1.0}}),
        json!({"policy": {"insist": 2, "on_loop": "stop"}}),
        json!({"policy": {"on_loop": "advise", "repeat_advice": true}}),
        json!({"policy": {"accept_at": 0.25, "score_min": -0.5, "score_max": 1.5, "repeat_penalty": -0.125}}),
        json!({"policy": {"ladder": {"warn": false, "reject": false, "escalate": false}}}),
        json!({"cycle": {"warn_at": 2, "hard_at": 3, "mode": "observe"}}),
        json!({"advice": {"templates": "zork"}}),
        json!({"advice": {"texts": {"repeated_calls": "{count} ↻ seit Zug {since}"}}}),
        json!({"allow": [{"tool": "bash", "args": "*cargo test*"}]}),
        json!({"tool": [{"name": "check_deploy", "polls": true}, {"name": "bash", "mutates": true, "volatile": ["id"]}]}),
        json!({"profile": "coding", "errors": {"hard_at": 4}}),
        json!({"profile": "game", "camping": {"penalty_growth": -0.2}}),
        json!({"profile": "iterations", "signature": {"scope": "all"}, "similarity": {"scope": "all"}}),
        json!({"profile": "documents"}),
    ];
    for (number, config) in all.iter().enumerate() {
        script.guard(&format!("run {number}"), config).see_all(eventful());
        script.weigh(&json!({"action": {"name": "bash", "args": {"command": "cargo test"}}}));
        script.weigh(&json!({"action": "north", "score": 0.7}));
    }
    script
}

/// The generated logs of the command line: each run with the defaults, and some under other profiles.
pub(super) fn logs() -> GoldenScript {
    let mut script = GoldenScript::new("logs");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../loopbreak-cli/tests/fixtures/golden/logs");
    for log in ["coding", "iterations", "tasks", "web", "mixed-0"] {
        let text = fs::read_to_string(folder.join(format!("{log}.jsonl"))).unwrap();
        let mut runs: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for line in text.lines() {
            let run = serde_json::from_str::<Value>(line).unwrap()["run"].to_string();
            runs.entry(run).or_default().push(line);
        }
        let profiles: &[Profile] =
            if log == "mixed-0" { &[Profile::Auto, Profile::Iterations] } else { &[Profile::Auto] };
        for profile in profiles {
            for (run, lines) in &runs {
                script.guard(
                    &format!("{log} {}", run.trim_matches('"')),
                    &json!({"profile": profile.as_str()}),
                );
                for line in lines {
                    script.see_line(line);
                }
            }
        }
    }
    script
}
