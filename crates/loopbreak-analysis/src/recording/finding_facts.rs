//! The evidence of a finding in words, for people who do not know the keys.

use loopbreak::Finding;
use loopbreak::evidence::EvidenceKey;
use serde_json::Value;

use super::visible_text::visible_text;

/// Maximum length of a fact, in bytes.
const FACT: usize = 160;

/// Facts that others tell already: ids of places that have a name, and parts of the sentences below.
const TOLD_ELSEWHERE: &[(EvidenceKey, EvidenceKey)] = &[
    (EvidenceKey::CAMPED_LOCATION_ID, EvidenceKey::CAMPED_LOCATION_NAME),
    (EvidenceKey::LOCATION_ID, EvidenceKey::LOCATION_NAME),
    (EvidenceKey::PATTERN_IDS, EvidenceKey::PATTERN_NAMES),
    (EvidenceKey::MAX_TURNS_STUCK, EvidenceKey::TURNS_ALLOWED),
    (EvidenceKey::TURNS_ALLOWED, EvidenceKey::TURNS_STUCK),
    (EvidenceKey::MAX_TURNS_STUCK, EvidenceKey::TURNS_STUCK),
    (EvidenceKey::IDLE, EvidenceKey::FINDS),
    (EvidenceKey::ROUNDS, EvidenceKey::PERIOD),
    (EvidenceKey::WINDOW, EvidenceKey::REPEATS),
    (EvidenceKey::LIMIT, EvidenceKey::USED),
];

/// Words for the keys that do not say enough by themselves.
const WORDS: &[(EvidenceKey, &str)] = &[
    (EvidenceKey::ARGUMENT, "argument that changes"),
    (EvidenceKey::ATTEMPT_COUNT, "attempts at the task"),
    (EvidenceKey::ATTEMPTS, "last attempts"),
    (EvidenceKey::BASE_SCORE, "score of the critic"),
    (EvidenceKey::BYTES, "size of the repeated text"),
    (EvidenceKey::CAMPED_LOCATION_ID, "number of the place"),
    (EvidenceKey::CAMPED_LOCATION_NAME, "place"),
    (EvidenceKey::ERRORS, "errors in a row"),
    (EvidenceKey::EXITS, "exits that were not tried"),
    (EvidenceKey::FAILURES, "number of failures"),
    (EvidenceKey::FIRST_TURN, "first seen at turn"),
    (EvidenceKey::IDLE, "turns without a discovery"),
    (EvidenceKey::LAST_OBJECTIVE_COMPLETION_TURN, "last objective completed at turn"),
    (EvidenceKey::LAST_SCORE_CHANGE_TURN, "score last changed at turn"),
    (EvidenceKey::LAST_TURN, "last seen at turn"),
    (EvidenceKey::LIKE_TURN, "resembles the output of turn"),
    (EvidenceKey::LOCATION_ID, "number of the place"),
    (EvidenceKey::LOCATION_NAME, "place"),
    (EvidenceKey::MAX_RUNTIME, "time limit"),
    (EvidenceKey::MESSAGES, "messages without a call"),
    (EvidenceKey::PATTERN_IDS, "numbers of the two places"),
    (EvidenceKey::PATTERN_NAMES, "goes between"),
    (EvidenceKey::PLACES, "round of places"),
    (EvidenceKey::POLLS, "polls with the same reply"),
    (EvidenceKey::QUESTIONS, "similar questions in a row"),
    (EvidenceKey::REACH, "turns in which progress still counts"),
    (EvidenceKey::RECENT_VISITS, "recent visits to the place"),
    (EvidenceKey::SECONDS, "window in seconds"),
    (EvidenceKey::SEND_BACKS, "times that tasks sent each other back"),
    (EvidenceKey::SIGNATURE, "repeated part of the output"),
    (EvidenceKey::SIGNATURE_KIND, "kind of that part"),
    (EvidenceKey::SIMILARITY, "similarity, from 0 to 1"),
    (EvidenceKey::TARGET, "target of the calls"),
    (EvidenceKey::TASKS, "tasks of the cycle"),
    (EvidenceKey::TIMES, "number of times"),
    (EvidenceKey::TURNS, "at turns"),
    (EvidenceKey::TURNS_LEFT, "turns until the stop"),
    (EvidenceKey::UNIT, "repeated part"),
    (EvidenceKey::VISIT_COUNT, "turns at the place"),
    (EvidenceKey::VISITS, "visits to the place"),
    (EvidenceKey::WINDOW_SIZE, "turns looked at"),
    (EvidenceKey::WINDOW, "steps looked at"),
    (EvidenceKey::WORDS, "words in the repeated part"),
];

/// Returns the evidence of a finding as names and values in words.
pub(super) fn finding_facts(finding: &Finding) -> Vec<(String, String)> {
    let evidence = &finding.evidence;
    let has = |key: &EvidenceKey| evidence.get(key).is_some_and(|value| !value.is_absent());
    let is_told = |key: &EvidenceKey| TOLD_ELSEWHERE.iter().any(|(inner, outer)| inner == key && has(outer));
    let facts = evidence
        .iter()
        .filter(|(key, value)| !value.is_absent() && **key != EvidenceKey::REASON && !is_told(key));
    facts.map(|(key, value)| phrase(finding, key, &Value::from(value))).collect()
}

/// Returns a fact, together with those that belong to it.
fn phrase(finding: &Finding, key: &EvidenceKey, value: &Value) -> (String, String) {
    let number = |key: EvidenceKey| finding.evidence.number(key);
    let (name, text) = if *key == EvidenceKey::TURNS_STUCK {
        ("turns without progress", turns_stuck(finding, &fact(value)))
    } else if *key == EvidenceKey::FINDS {
        let idle = number(EvidenceKey::IDLE).map(|idle| format!(", none for {idle} turns"));
        ("discoveries since then", fact(value) + &idle.unwrap_or_default())
    } else if *key == EvidenceKey::PERIOD {
        let rounds = number(EvidenceKey::ROUNDS).map(|rounds| format!(", {rounds} times"));
        let calls = if value.as_u64() == Some(1) { "call" } else { "calls" };
        ("repeats", format!("{} {calls}{}", fact(value), rounds.unwrap_or_default()))
    } else if *key == EvidenceKey::REPEATS {
        let window = number(EvidenceKey::WINDOW).map(|window| format!(" of the last {window} calls"));
        ("repeated calls", fact(value) + &window.unwrap_or_default())
    } else if *key == EvidenceKey::USED {
        let limit = finding.evidence.get(EvidenceKey::LIMIT).map(|limit| fact(&Value::from(limit)));
        ("used", fact(value) + &limit.map(|limit| format!(" of {limit}")).unwrap_or_default())
    } else {
        let words = WORDS.iter().find(|(known, _)| known == key).map(|(_, words)| *words);
        return (
            words.map_or_else(|| key.as_str().replace('_', " "), str::to_owned),
            visible_text(&fact(value), FACT),
        );
    };
    (name.to_owned(), visible_text(&text, FACT))
}

/// "35 of 65 allowed (raised from 40 while it explored)".
fn turns_stuck(finding: &Finding, stuck: &str) -> String {
    let set = finding.evidence.number(EvidenceKey::MAX_TURNS_STUCK);
    let allowed = finding.evidence.number(EvidenceKey::TURNS_ALLOWED).or(set);
    let Some(allowed) = allowed else { return stuck.to_owned() };
    match set {
        Some(set) if set < allowed => format!("{stuck} of {allowed} allowed (raised from {set})"),
        Some(set) if set > allowed => format!("{stuck} of {allowed} allowed (lowered from {set})"),
        _ => format!("{stuck} of {allowed} allowed"),
    }
}

fn fact(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(fact).collect::<Vec<_>>().join(" → "),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, value)| !value.is_null());
            fields.map(|(key, value)| format!("{key} {}", fact(value))).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::{Config, Guard, Severity, Step};

    use super::*;

    fn facts_of(lines: impl Iterator<Item = String>, detector: &str) -> Vec<(String, String)> {
        let mut guard = Guard::new(Config::default());
        let mut found = Vec::new();
        for line in lines {
            let verdict = guard.observe(&Step::from_json(&line).unwrap());
            let of_detector = verdict.findings.into_iter().filter(|it| it.detector.as_str() == detector);
            found.extend(of_detector.filter(|it| it.severity >= Severity::Warn));
        }
        finding_facts(found.last().unwrap())
    }

    /// "Turns stuck 35, max turns stuck 40, turns allowed 25, turns left 1" explained nothing.
    #[test]
    fn turns_without_progress_are_one_sentence() {
        let line = |turn| format!(r#"{{"action":"push brick {turn}","outcome":"Nothing.","score":20}}"#);
        let facts = facts_of((1..=60).map(line), "stagnation");
        let stuck: Vec<&String> =
            facts.iter().filter(|(name, _)| name == "turns without progress").map(|(_, text)| text).collect();
        assert_eq!(stuck.len(), 1, "{facts:?}");
        assert!(stuck[0].contains(" of ") && stuck[0].contains(" allowed"), "{facts:?}");
        for raw in ["turns stuck", "max turns stuck", "turns allowed", "idle", "finds"] {
            assert!(facts.iter().all(|(name, _)| name != raw), "{raw} in {facts:?}");
        }
    }

    #[test]
    fn a_cycle_says_how_much_is_repeated_and_how_often() {
        let line = |turn| format!(r#"{{"action":"do {}","outcome":"{} came of it"}}"#, turn % 2, turn % 2);
        let facts = facts_of((1..=8).map(line), "cycle");
        let repeats = facts.iter().find(|(name, _)| name == "repeats").unwrap();
        assert!(repeats.1.starts_with("2 calls, ") && repeats.1.ends_with(" times"), "{facts:?}");
    }

    #[test]
    fn a_list_of_fields_is_shown_without_json() {
        let value = serde_json::json!([{"turn": 3, "status": "blocked", "session": null}, {"turn": 9}]);
        assert_eq!(fact(&value), "status blocked, turn 3 → turn 9");
    }
}
