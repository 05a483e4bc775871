//! What a model meant by what it said.

use serde::Deserialize;
use serde_json::Value;

use crate::agent_failure::{AgentFailure, FailureKind};
use crate::game_text;
use crate::player::PlayerMove;
use crate::proposal_critic::CriticOpinion;

/// The longest command; no game takes more.
const ACTION: usize = 200;
/// The longest reason that is kept.
const REASON: usize = 1000;
/// How much of an answer that is none is told.
const TOLD: usize = 100;

/// How models begin when they do not want to.
const UNWILLING: [&str; 14] = [
    "i can't",
    "i cannot",
    "i can not",
    "i won't",
    "i will not",
    "i'm sorry",
    "i am sorry",
    "i'm unable",
    "i am unable",
    "i'm not able",
    "i am not able",
    "sorry,",
    "as an ai",
    "i must decline",
];
/// What models put before a command.
const LABELS: [&str; 5] = ["action:", "command:", "my command:", "next command:", ">"];

/// The command in what a model said.
pub(super) fn action(text: &str) -> Result<PlayerMove, AgentFailure> {
    let text = spoken(text);
    if let Some(object) = object(text) {
        let word = |names: &[&str]| {
            names.iter().find_map(|name| object.get(*name)?.as_str()).unwrap_or_default().to_owned()
        };
        let action = word(&["action", "command"]);
        if object.get("action").is_some() || object.get("command").is_some() {
            return checked(&action, &word(&["reason", "reasoning", "thought"]));
        }
        return Err(malformed("JSON without an action", text));
    }
    let line = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with("```"));
    let line = line.unwrap_or_default();
    if line.starts_with('{') {
        return Err(malformed("JSON that is broken", line));
    }
    checked(line, "")
}

/// A proposal from somebody's words.
pub(super) fn checked(action: &str, reason: &str) -> Result<PlayerMove, AgentFailure> {
    let mut action = action.trim();
    for label in LABELS {
        if action.get(..label.len()).is_some_and(|start| start.eq_ignore_ascii_case(label)) {
            action = action[label.len()..].trim_start();
        }
    }
    let plain: String = action.chars().filter(|c| !c.is_control()).collect();
    let plain = plain.trim().trim_matches(['"', '`', '*', '\'']).trim_end_matches(['.', '!']).trim();
    if plain.is_empty() {
        return Err(AgentFailure::new(FailureKind::Empty, "there is no command in the answer"));
    }
    let lower = plain.to_lowercase().replace('\u{2019}', "'");
    if UNWILLING.iter().any(|words| lower.starts_with(words)) {
        let message = format!("the model refuses: {}", game_text::one_line(plain, TOLD));
        return Err(AgentFailure::new(FailureKind::Refusal, message));
    }
    if plain.chars().count() > ACTION {
        return Err(malformed(&format!("more than {ACTION} characters for a command"), plain));
    }
    Ok(PlayerMove { action: plain.to_owned(), reason: game_text::one_line(reason, REASON) })
}

/// The score in what a model said.
pub(super) fn opinion(text: &str) -> Result<CriticOpinion, AgentFailure> {
    let text = spoken(text);
    if let Some(object) = object(text) {
        let Some(score) = object.get("score").and_then(number) else {
            return Err(malformed("JSON without a score", text));
        };
        let reason = ["reason", "justification"].iter().find_map(|name| object.get(*name)?.as_str());
        return judged(score, reason.unwrap_or_default());
    }
    let first = text.split_whitespace().next().unwrap_or_default();
    let score = first.trim_matches(|c: char| !c.is_ascii_digit() && c != '-').parse();
    judged(score.map_err(|_| malformed("no score", text))?, "")
}

/// An opinion from somebody's words.
pub(super) fn judged(score: f64, reason: &str) -> Result<CriticOpinion, AgentFailure> {
    if !(0.0..=1.0).contains(&score) {
        let message = format!("a score goes from 0 to 1, and {score} does not");
        return Err(AgentFailure::new(FailureKind::Malformed, message));
    }
    let justification = game_text::one_line(reason, REASON);
    let justification = if justification.is_empty() { "is not worth it".to_owned() } else { justification };
    Ok(CriticOpinion { score, justification })
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.trim().parse().ok())
}

fn malformed(what: &str, text: &str) -> AgentFailure {
    let text = game_text::one_line(text, TOLD);
    AgentFailure::new(FailureKind::Malformed, format!("the model answered with {what}: {text}"))
}

/// What was said, without what was only thought.
fn spoken(text: &str) -> &str {
    match text.rsplit_once("</think>") {
        Some((_, spoken)) => spoken.trim(),
        None if text.trim_start().starts_with("<think>") => "",
        None => text.trim(),
    }
}

/// The first JSON object in a text.
fn object(text: &str) -> Option<serde_json::Map<String, Value>> {
    let start = text.find('{')?;
    let mut values = serde_json::Deserializer::from_str(&text[start..]);
    serde_json::Map::deserialize(&mut values).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(text: &str) -> FailureKind {
        action(text).unwrap_err().kind
    }

    #[test]
    fn a_command_is_found_in_what_models_say() {
        for (text, expected) in [
            ("north", "north"),
            ("{\"action\": \"take lantern\", \"reason\": \"it is dark\"}", "take lantern"),
            ("```json\n{\"action\": \"open door\"}\n```", "open door"),
            ("Sure!\n{\"command\": \"open door\"}", "open door"),
            ("<think>Where to?\nnorth, perhaps</think>\n\nsouth.", "south"),
            ("Action: go north.", "go north"),
            ("> look\nand then north", "look"),
            ("\n  `examine panel`\n", "examine panel"),
            ("say \u{1b}[31mhello", "say [31mhello"),
        ] {
            assert_eq!(action(text).unwrap().action, expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_command_is_a_failure_of_its_kind() {
        assert_eq!(kind("I can't help with that."), FailureKind::Refusal);
        assert_eq!(kind("I\u{2019}m sorry, but I cannot do this."), FailureKind::Refusal);
        assert_eq!(kind("{\"action\":\"I cannot continue\"}"), FailureKind::Refusal);
        assert_eq!(kind("  \n "), FailureKind::Empty);
        assert_eq!(kind("<think>for ever and ever"), FailureKind::Empty);
        assert_eq!(kind("{\"action\": null}"), FailureKind::Empty);
        assert_eq!(kind("{\"action\":\"up\",\"reason\":\"why\nnot\"}"), FailureKind::Malformed);
        assert_eq!(kind("{\"thought\": \"hm\"}"), FailureKind::Malformed);
        assert_eq!(kind(&"go ".repeat(100)), FailureKind::Malformed);
    }

    #[test]
    fn a_score_is_found_in_what_critics_say() {
        for (text, expected) in [
            ("{\"score\": 0.25, \"reason\": \"was tried\"}", 0.25),
            ("{\"score\": \"1\"}", 1.0),
            ("0.7, because it is new", 0.7),
            ("```\n{\"score\": 0}\n```", 0.0),
        ] {
            assert!((opinion(text).unwrap().score - expected).abs() < 1e-9, "{text}");
        }
        for text in ["", "very good", "{\"score\": 7}", "{\"score\": null}", "-1", "I can't"] {
            assert_eq!(opinion(text).unwrap_err().kind, FailureKind::Malformed, "{text}");
        }
    }

    #[test]
    fn whatever_a_model_says_nothing_panics_and_a_command_is_short_and_plain() {
        let pieces = [
            "{",
            "}",
            "\"action\"",
            ":",
            "\"north\"",
            "null",
            "```",
            "\n",
            "<think>",
            "</think>",
            " ",
            "Action:",
            "\u{1b}[2J",
            "é",
            "\u{2019}",
            "I can't",
            "0.5",
            "\"score\"",
            "-",
            "[",
            "]",
            ">",
            "x",
            "\"",
            "\\",
            "ﬀ",
            "𝔸",
            ".",
            "look",
        ];
        let mut rng = crate::seeded_rng::SeededRng::new(1);
        for _ in 0..20_000 {
            let count = rng.below(12);
            let text: String = (0..count).map(|_| pieces[rng.below(pieces.len())]).collect();
            if let Ok(wish) = action(&text) {
                assert!(!wish.action.is_empty() && !wish.action.chars().any(char::is_control), "{text:?}");
            }
            if let Ok(opinion) = opinion(&text) {
                assert!((0.0..=1.0).contains(&opinion.score), "{text:?}");
            }
        }
    }
}
