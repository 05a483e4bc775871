//! The texts for the agent, the critic and the user. Documents 000, 001, 002, 003, 004.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use crate::steps::{RunDriver, config, text_for};
use loopbreak::advice::TEMPLATES;
use loopbreak::{DetectorName, verdict::Audience};
use serde_json::{Value, json};

const STAGNATION: DetectorName = DetectorName::Stagnation;

/// Returns the advice to an agent that has been stuck for a number of turns.
fn agent_advice(patch: Value, turns: usize, record: &Value) -> String {
    let mut patch = patch;
    patch["policy"]["repeat_advice"] = json!(true);
    let mut run = RunDriver::with(config(patch));
    let verdict = run.repeat(turns, record);
    text_for(&verdict.advice, Audience::Agent, STAGNATION)
}

fn zork() -> Value {
    json!({"advice": {"templates": "zork"}})
}

#[test]
fn urgency_depends_on_the_turns_left() {
    let urgency = |turns| {
        agent_advice(
            json!({"advice": {"texts": {"stagnation": "{urgency} {turns_left}"}}}),
            turns,
            &json!({"score": 1}),
        )
    };
    assert_eq!(urgency(20), "important 20");
    assert_eq!(urgency(29), "important 11");
    assert_eq!(urgency(30), "urgent 10");
    assert_eq!(urgency(34), "urgent 6");
    assert_eq!(urgency(35), "critical 5");
    assert_eq!(urgency(39), "critical 1");
}

#[test]
fn the_neutral_warning_counts_down_and_does_not_mention_death() {
    let text = agent_advice(json!({}), 25, &json!({"score": 7}));
    assert!(text.starts_with("[important] No progress for 25 turns."), "{text}");
    assert!(text.contains("The score is 7.") && text.contains("The run ends in 15 turns"), "{text}");
    assert!(!text.to_lowercase().contains("die"), "{text}");
    for template in TEMPLATES {
        assert!(!template.neutral.contains("DIE"), "{}", template.name);
    }
}

#[test]
fn the_zork_warning_with_objectives_has_the_words_of_the_documents() {
    let record =
        json!({"score": 1, "objectives": {"active": ["open the dam", "find the wrench", "light the lamp"]}});
    assert_eq!(
        agent_advice(zork(), 20, &record),
        "⚠️ WARNING: No progress for 20 turns!
You will DIE in 20 turns unless you increase your score or complete an objective.

CURRENT OBJECTIVES:
- \"open the dam\"
- \"find the wrench\"
- \"light the lamp\"

SUGGESTIONS:
- Try working on the objectives listed above
- Prioritize actions that might increase your score"
    );
}

#[test]
fn the_zork_warning_without_objectives_has_the_words_of_the_documents() {
    let text = agent_advice(zork(), 20, &json!({"score": 1}));
    assert_eq!(
        text,
        "⚠️ WARNING: No progress for 20 turns!\nYou will DIE in 20 turns unless you increase your score."
    );
}

/// The documents' words keep their escalation: the heading changes with the turns left.
#[test]
fn the_zork_warning_has_the_headings_of_000_by_urgency() {
    let heading =
        |turns| agent_advice(zork(), turns, &json!({"score": 1})).lines().next().unwrap().to_owned();
    for (turns, expected) in [
        (20, "⚠️ WARNING: No progress for 20 turns!"),
        (29, "⚠️ WARNING: No progress for 29 turns!"),
        (30, "⚠️ URGENT WARNING: No progress for 30 turns!"),
        (34, "⚠️ URGENT WARNING: No progress for 34 turns!"),
        (35, "🚨 CRITICAL EMERGENCY: No progress for 35 turns!"),
        (39, "🚨 CRITICAL EMERGENCY: No progress for 39 turns!"),
    ] {
        assert_eq!(heading(turns), expected);
    }
}

#[test]
fn the_zork_warning_has_the_words_of_000_where_only_the_score_counts() {
    let warning = |turns| {
        let mut patch = zork();
        patch["stagnation"] = json!({"objectives": false});
        let record = json!({"score": 1, "objectives": {"active": ["open the dam"]}});
        agent_advice(patch, turns, &record)
    };
    assert_eq!(
        warning(20),
        "⚠️ SCORE STAGNATION DETECTED
You have made NO SCORE PROGRESS for 20 turns.
You will DIE in 20 turns unless you INCREASE YOUR SCORE.
Urgency: IMPORTANT"
    );
    assert!(warning(31).starts_with("⚠️ URGENT WARNING\n") && warning(31).ends_with("Urgency: URGENT"));
    let last = warning(39);
    assert!(last.starts_with("🚨 CRITICAL EMERGENCY\n") && last.ends_with("Urgency: IMMEDIATE"), "{last}");
    assert!(last.contains("You will DIE in 1 turn unless"), "{last}");
}

/// A warning must not promise that an objective, or any change of the score, ends the countdown where it does not.
#[test]
fn a_warning_names_only_what_ends_the_countdown() {
    let record = json!({"score": 1, "objectives": {"active": ["open the dam"]}});
    let neutral = |stagnation: Value, record: &Value| {
        let mut stagnation = stagnation;
        stagnation["patience"] = json!("fixed");
        agent_advice(json!({"stagnation": stagnation}), 20, record)
    };
    let text = neutral(json!({}), &record);
    assert!(
        text.contains("The run ends in 20 turns unless the score changes or an objective is completed."),
        "{text}"
    );
    assert!(text.contains("Open objectives:\n- \"open the dam\""), "{text}");
    let text = neutral(json!({"objectives": false}), &record);
    assert!(text.contains("The run ends in 20 turns unless the score changes.\n"), "{text}");
    assert!(!text.to_lowercase().contains("objective"), "{text}");
    let text = neutral(json!({"progress": "increase"}), &record);
    assert!(text.contains("unless the score increases or an objective is completed."), "{text}");
    let text = neutral(json!({"progress": "high_water", "objectives": false}), &record);
    assert!(text.contains("unless the score exceeds its highest value so far."), "{text}");
    let text = neutral(json!({}), &json!({"objectives": {"active": ["open the dam"]}}));
    assert!(text.contains("unless an objective is completed.") && !text.contains("score"), "{text}");
    let mut patch = zork();
    patch["stagnation"] = json!({"objectives": false});
    let text = agent_advice(patch, 20, &record);
    assert!(!text.to_lowercase().contains("objective"), "{text}");
    assert!(agent_advice(json!({}), 39, &record).contains("The run ends in 1 turn unless"));
}

#[test]
fn suggestions_mention_repeated_actions_and_untried_exits() {
    let record = json!({"score": 1, "action": "read book", "critic": {"score": 0.9}, "place": {"id": 1, "exits": ["north", "up"]}});
    let text =
        agent_advice(json!({"camping": {"mode": "off"}, "advice": {"templates": "zork"}}), 20, &record);
    assert!(text.contains("- You have tried this action recently with no progress."), "{text}");
    assert!(text.contains(r#"- Unexplored directions: "north", "up""#), "{text}");
}

#[test]
fn at_most_five_objectives_of_the_latest_list_are_shown() {
    let goals: Vec<String> = (1..=8).map(|goal| format!("goal {goal}")).collect();
    let text = agent_advice(json!({}), 20, &json!({"score": 1, "objectives": {"active": goals}}));
    assert!(text.contains("- \"goal 5\"") && !text.contains("goal 6"), "{text}");
    let mut run = RunDriver::new();
    run.see(&json!({"score": 1, "objectives": {"active": ["old"]}}));
    run.see(&json!({"score": 1, "objectives": {"active": []}}));
    let verdict = run.repeat(18, &json!({"score": 1}));
    let text = text_for(&verdict.advice, Audience::Agent, STAGNATION);
    assert!(text.contains("unless there is progress") && !text.contains("old"), "{text}");
}

#[test]
fn no_countdown_is_shown_if_stopping_is_disabled() {
    let patch = json!({"policy": {"ladder": {"stop": false}}});
    let text = agent_advice(patch.clone(), 25, &json!({"score": 1}));
    assert!(text.contains("No progress for 25 turns") && !text.contains("ends in"), "{text}");
    let mut patch = patch;
    patch["advice"] = json!({"templates": "zork"});
    assert!(!agent_advice(patch, 25, &json!({"score": 1})).contains("DIE"));
}

#[test]
fn the_warning_lists_recent_loops() {
    let mut run = RunDriver::new();
    run.repeat(12, &json!({"score": 1}));
    for place in ["Dam Lobby", "Maintenance", "Dam Lobby", "Maintenance"] {
        run.see(&json!({"score": 1, "place": place}));
    }
    let verdict = run.repeat(4, &json!({"score": 1}));
    let text = text_for(&verdict.advice, Audience::Agent, STAGNATION);
    assert!(text.contains("Recent loops:\n- \"Dam Lobby\" → \"Maintenance\""), "{text}");
}

#[test]
fn the_critic_gets_texts_about_oscillation_and_camping_without_penalties() {
    let mut run = RunDriver::with(config(zork()));
    let verdict = run.walk(&["Dam Lobby", "Maintenance", "Dam Lobby", "Maintenance"]);
    let text = text_for(&verdict.advice, Audience::Critic, DetectorName::Oscillation);
    assert_eq!(text, "⚠️ Oscillation Pattern: \"Dam Lobby\" → \"Maintenance\"");
    let mut run =
        RunDriver::with(config(json!({"advice": {"templates": "zork"}, "camping": {"threshold": 6}})));
    let verdict = run.walk(&["Dam", "A", "Dam", "Dam", "B", "Dam", "C", "Dam", "D", "Dam"]);
    let text = text_for(&verdict.advice, Audience::Critic, DetectorName::Camping);
    assert_eq!(text, "⚠️ Location Camping: \"Dam\" (6 visits in 10 turns)");
}

#[test]
fn a_ruling_has_the_adjustments_for_the_critic_and_the_repeated_action_for_the_agent() {
    let mut run = RunDriver::with(config(zork()));
    for _ in 0..2 {
        run.see(&json!({"action": "north", "place": "B"}));
        run.see(&json!({"action": "south", "place": "A"}));
    }
    let ruling = run.weigh("north", 0.9);
    let text = text_for(&ruling.advice, Audience::Critic, DetectorName::Oscillation);
    assert_eq!(text, "[Loop Detection Override: Oscillation penalty -0.8 (pattern: \"B\" → \"A\")]");
    let text = text_for(&ruling.advice, Audience::Agent, DetectorName::Novelty);
    assert_eq!(text, "You have tried this action recently with no progress.");
}

/// All adjustments of 001 in its words, joined as it joins them; the neutral set has its own.
#[test]
fn the_zork_reasons_of_adjustments_have_the_words_of_001() {
    for (templates, back, away) in [
        (
            "zork",
            "Oscillation penalty -0.8 (pattern: \"Lobby\" → \"Dam\"); Camping penalty -0.6 (returning to \"Lobby\")",
            "Exploration bonus 0.5",
        ),
        (
            "neutral",
            "oscillation -0.8 (continues \"Lobby\" → \"Dam\"); camping -0.6 (returns to \"Lobby\", where 5 of the last 10 turns were spent)",
            "oscillation +0.5 (leaves \"Lobby\" → \"Dam\")",
        ),
    ] {
        let patch = json!({"advice": {"templates": templates}, "revisit": {"mode": "off"}});
        let mut run = RunDriver::with(config(patch));
        for (action, place) in [("look", "Dam"), ("south", "Base"), ("north", "Dam"), ("east", "Lobby")] {
            run.see(&json!({"action": action, "place": place}));
        }
        run.repeat(3, &json!({"action": "wait", "place": "Lobby"}));
        for (action, place) in [("west", "Dam"), ("east", "Lobby"), ("west", "Dam")] {
            run.see(&json!({"action": action, "place": place}));
        }
        let reason = |action: &str| {
            let events = run.weigh(action, 0.9).events;
            crate::steps::written(events.last().unwrap())["reason"].as_str().unwrap().to_owned()
        };
        assert_eq!((reason("east").as_str(), reason("south").as_str()), (back, away));
    }
}

/// Document 000 adds its hints to the context of the agent and of the critic.
#[test]
fn hints_about_repeated_actions_and_untried_exits_go_to_the_critic_too() {
    for (templates, repeated, exits) in [
        (
            "zork",
            "The agent has tried this action recently with no progress.",
            "Unexplored directions: \"north\", \"up\"",
        ),
        (
            "neutral",
            "The agent already did \"read book\" at turn 1.",
            "Exits that the agent has not tried yet: \"north\", \"up\"",
        ),
    ] {
        let mut run = RunDriver::with(config(json!({"advice": {"templates": templates}})));
        run.see(&json!({"action": "read book", "place": {"id": 1, "exits": ["north", "up"]}}));
        let ruling = run.weigh("read book", 0.9);
        let texts = |audience: Audience| -> Vec<&str> {
            let of_novelty = ruling.advice.iter().filter(|advice| advice.detector == DetectorName::Novelty);
            of_novelty
                .filter(|advice| advice.audience == audience)
                .map(|advice| advice.text.as_str())
                .collect()
        };
        assert_eq!(texts(Audience::Critic), [repeated, exits]);
        assert_eq!(texts(Audience::Agent).len(), 2);
    }
}

#[test]
fn advice_about_loops_of_places_lists_untried_exits() {
    let mut run = RunDriver::new();
    for _ in 0..2 {
        run.see(&json!({"action": "north", "place": {"name": "B"}}));
        run.see(&json!({"action": "south", "place": {"name": "A", "exits": ["north", "east", "up"]}}));
    }
    let verdict = run.verdicts.last().unwrap();
    let text = text_for(&verdict.advice, Audience::Agent, DetectorName::Oscillation);
    assert!(text.contains(r#"Exits not tried yet: "east", "up""#), "{text}");
}

#[test]
fn the_user_is_told_why_a_run_was_stopped() {
    let mut run = RunDriver::with(config(zork()));
    let verdict = run.repeat(40, &json!({"score": 40}));
    let text = text_for(&verdict.advice, Audience::User, STAGNATION);
    assert_eq!(text, "Terminating episode: no progress for 40 turns (score stuck at 40)");
}

/// Returns the text of a task's recovery, in the words of 003.
fn recovery(records: usize, record: &Value, audience: Audience) -> String {
    let mut run = RunDriver::with(config(zork()));
    let verdict = run.repeat(records, record);
    text_for(&verdict.advice, audience, DetectorName::Task)
}

#[test]
fn the_zork_text_for_force_next_has_the_words_of_003() {
    let text = recovery(3, &json!({"task": {"id": "T3.4.2", "status": "done"}}), Audience::Agent);
    assert_eq!(
        text,
        "LOOP DETECTED: Task \"T3.4.2\" completed after 3 attempts.
DO NOT revisit this task. SELECT NEXT TASK from roadmap using plan_next()."
    );
}

#[test]
fn the_zork_text_for_authority_names_the_five_permissions_of_003() {
    let record =
        json!({"task": {"id": "T7.1.2", "status": "blocked", "blockers": ["critic:leakage unavailable"]}});
    let text = recovery(3, &record, Audience::Agent);
    assert!(
        text.starts_with(
            r#"UNBLOCK AUTHORITY GRANTED: Task "T7.1.2" blocked by ["critic:leakage unavailable"] after 3 attempts."#
        ),
        "{text}"
    );
    for (number, part) in ["Remove", "architectural", "Skip", "stub", "technical debt"].iter().enumerate() {
        assert!(
            text.lines().any(|line| line.starts_with(&format!("{}. ", number + 1)) && line.contains(part)),
            "{part}"
        );
    }
}

#[test]
fn the_zork_text_for_a_task_escalation_has_the_words_of_003() {
    let record = json!({"task": {"id": "T6.2.3", "status": "blocked", "blockers": ["x"]}});
    let text = recovery(6, &record, Audience::User);
    assert_eq!(
        text,
        "ESCALATION: Loop detected on task \"T6.2.3\" after 3 attempts.
Human intervention required.
Reason: No progress despite unblock authority."
    );
}

/// Only an escalation after a grant says that authority was granted.
#[test]
fn an_escalation_says_that_authority_had_been_granted_if_it_had() {
    let blocked = json!({"task": {"id": "T6.2.3", "status": "blocked", "blockers": ["x"]}});
    let mut run = RunDriver::new();
    let verdict = run.repeat(6, &blocked);
    let text = text_for(&verdict.advice, Audience::User, DetectorName::Task);
    assert!(text.contains("although the agent was allowed to remove them: \"x\""), "{text}");
    assert!(
        verdict.decisions[0].reason.contains("although the agent was allowed"),
        "{:?}",
        verdict.decisions
    );
    let mut run = RunDriver::with(config(json!({"task": {"auto_unblock": false}})));
    let verdict = run.repeat(3, &blocked);
    let text = text_for(&verdict.advice, Audience::User, DetectorName::Task);
    assert!(
        text.contains("met the same blockers in 3 attempts: \"x\"") && !text.contains("allowed"),
        "{text}"
    );
}

#[test]
fn the_zork_text_for_an_escalation_has_the_words_of_004() {
    let mut run = RunDriver::with(config(zork()));
    let verdict = run.repeat(3, &json!({"outcome": "Fixed auth.ts - added null check"}));
    let text = text_for(&verdict.advice, Audience::User, DetectorName::Signature);
    for part in [
        "## Loop Detected",
        "**Pattern**: the same output signature 3 times",
        "**Signature**: `auth.ts:null-check`",
        "**Iteration history**:",
        "- Iteration 2: \"Fixed auth.ts - added null check\"\n",
        "- Iteration 3: \"Fixed auth.ts - added null check\" ← Loop detected\n",
        "1. **Continue with different approach**",
        "2. **Review and debug**",
        "3. **Cancel**",
    ] {
        assert!(text.contains(part), "{part} is missing in {text}");
    }
}

/// Document 004 asks for the root cause where an error returns, and for more context where a change does.
#[test]
fn advice_about_repeated_outputs_depends_on_what_repeats() {
    for (output, cause, context) in [
        ("Error: TypeError - Cannot read property 'id' of null at auth.ts:45", true, false),
        ("Running tests... 2 failed: auth.test.ts - login test timeout, logout test assertion", true, false),
        ("Fixed auth.ts - added null check", false, true),
        ("Searched GitHub for 'oauth2 refresh token', found 3 patterns...", false, false),
        ("I am thinking about it", false, false),
    ] {
        let mut run = RunDriver::new();
        let verdict = run.repeat(3, &json!({"outcome": output}));
        let text = text_for(&verdict.advice, Audience::Agent, DetectorName::Signature);
        assert!(text.contains("Try a different one."), "{text}");
        assert_eq!(text.contains("root cause"), cause, "{text}");
        assert_eq!(text.contains("Context is missing"), context, "{text}");
    }
}

#[test]
fn every_text_can_be_replaced() {
    let text = agent_advice(
        json!({"advice": {"texts": {"stagnation": "Stuck for {turns_stuck}."}}}),
        20,
        &json!({"score": 1}),
    );
    assert_eq!(text, "Stuck for 20.");
}

#[test]
fn an_empty_custom_text_disables_the_advice() {
    assert_eq!(agent_advice(json!({"advice": {"texts": {"stagnation": ""}}}), 20, &json!({"score": 1})), "");
}

#[test]
fn secrets_are_masked_in_texts_and_evidence() {
    let mut run = RunDriver::new();
    let key = format!("ghp_{}", "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0xR3uL6");
    let verdict = run.repeat(
        3,
        &json!({"action": "push", "outcome": {"text": format!("denied for {key}"), "error": true}}),
    );
    assert!(!verdict.findings.is_empty());
    assert!(!crate::steps::written(verdict).to_string().contains(&key));
}
