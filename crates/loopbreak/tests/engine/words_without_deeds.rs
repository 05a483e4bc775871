//! Words in place of deeds: apologies, thanks, blank replies, chants and questions that are asked again.

use crate::signals::{assert_broken, assert_rounds_broken, by, continuation, ran, read, said, worked};
use crate::steps::played;
use serde_json::{Value, json};

/// `google-gemini/gemini-cli#6717`: an apology, the file once more, the same apology.
#[test]
fn gemini_cli_6717_the_same_apology_and_the_same_file_are_broken() {
    let rounds = (0..20).map(|_| {
        vec![
            said(
                "I apologize for the repeated mistake. I will read the file again to get its exact content.",
            ),
            read("src/components/Menu.tsx", 0),
        ]
    });
    assert_rounds_broken(Vec::new(), rounds, 3, 8);
}

/// `microsoft/autogen#108`: blank replies of one agent, the same question of the other. Eight messages are enough
/// for a warning, twenty for a hard finding.
#[test]
fn autogen_108_blank_replies_are_broken() {
    let question = "Is there anything else I can help you with?";
    let records = (0..30).flat_map(|_| [by("user_proxy", said("")), by("assistant", said(question))]);
    assert_broken(&played(records), 8, 20);
    assert_broken(&played(vec![said(""); 30]), 8, 20);
}

/// `microsoft/autogen` PR 390: two agents thank each other, in a few phrases. 24 messages are enough for a
/// warning, 50 for a hard finding.
#[test]
fn autogen_390_agents_that_thank_each_other_are_broken() {
    let thanks = ["Thank you!", "Thanks, have a great day!", "Thank you too, goodbye!", "Thanks again!"];
    let welcome = ["You're welcome!", "My pleasure, goodbye!", "You're welcome, have a great day!"];
    let records =
        (0..30).flat_map(|n| [by("planner", said(thanks[n % 4])), by("coder", said(welcome[n % 3]))]);
    let work = [by("coder", ran("python plot.py", 0, "saved plot.png"))];
    assert_broken(&played(work.into_iter().chain(records)), 25, 51);
}

/// `NousResearch/hermes-agent` PR 113150: a chant that was interrupted is fed back and starts again.
#[test]
fn hermes_113150_an_interrupted_chant_that_starts_again_is_broken() {
    let chant = "The test needs the fixture, so I will add the fixture. ".repeat(9);
    let rounds =
        (0..6).map(|n| vec![continuation(), said(&format!("{chant}The test ne{}", "ed".repeat(n % 2)))]);
    assert_rounds_broken(vec![read("tests/conftest.py", 0)], rounds, 1, 3);
}

/// Returns commands that are all different, with answers that are all different.
fn different_command(n: usize) -> Value {
    let tools = ["grep -c", "wc -l", "head -3", "md5sum", "stat", "file"];
    let file = format!("data/part-{:03}.bin", n * 37 % 211);
    ran(&format!("{} {file}", tools[n % 6]), 0, &format!("{} {file} {}", n * 91 % 400, n * 17 % 23))
}

/// `macanderson/stella#3292`: 62 different commands that solve nothing. Only a measure of progress sees it; with a
/// score, the rule of 20 and 40 turns holds.
#[test]
fn stella_3292_different_commands_without_a_better_score_are_broken() {
    let records = (0..62).map(|n| {
        let mut record = different_command(n);
        record["score"] = json!(0);
        record
    });
    assert_broken(&played(records), 20, 40);
}

/// `openai/openai-agents-python#191`, `openai/openai-agents-js#512`: searches in ever new words, of which each finds
/// the same answer.
#[test]
fn openai_agents_191_searches_that_all_find_the_same_answer_are_broken() {
    let asked = [
        "capital gains tax rate 2026 Portugal",
        "Portugal capital gains tax 2026 rate",
        "2026 tax on capital gains in Portugal",
        "rate of capital gains tax Portugal residents 2026",
        "Portuguese capital gains tax percentage 2026",
        "how much capital gains tax Portugal 2026",
        "Portugal CGT 2026",
        "capital gains Portugal tax 28 percent 2026",
        "tax authority Portugal capital gains rate 2026",
        "Portugal investment income tax rate 2026",
        "Portugal 2026 mais-valias taxa",
        "current capital gains tax Portugal",
    ];
    let answer = "1. Tax Authority: gains from securities are taxed at a flat rate of 28 %. Residents may choose aggregation.\n2. Guide: the flat rate is 28 %.";
    let records = asked.map(|query| worked("web_search", &json!({"query": query}), answer));
    assert_broken(&played(records), 5, 10);
}

/// Short messages again and again: eight are enough for a warning, twenty for a hard finding.
#[test]
fn the_same_short_message_again_and_again_is_broken() {
    for words in ["OK.", "Continuing.", "Let me continue."] {
        let work = [ran("ls", 0, "Makefile  src")];
        assert_broken(&played(work.into_iter().chain(vec![said(words); 30])), 9, 21);
    }
}

/// Two messages in turn are no more than one.
#[test]
fn two_alternating_messages_are_broken() {
    let pair = ["I will check the configuration first.", "Now I am going to fix the import."];
    assert_broken(&played((0..30).map(|n| said(pair[n % 2]))), 8, 20);
    let short = ["Done.", "Anything else?"];
    assert_broken(&played((0..30).map(|n| said(short[n % 2]))), 8, 20);
}

/// A chant needs no blanks.
#[test]
fn chants_without_blanks_are_broken() {
    for unit in ["ha", "retry;", "undefined", "再确认一次。"] {
        let text = format!("The value is {}", unit.repeat(900));
        assert_broken(&played([said(&text), said(&text)]), 1, 2);
    }
}

/// A chant may have two phrases in turn.
#[test]
fn chants_of_two_alternating_phrases_are_broken() {
    let text = "I should read the file first. No, I should run the tests first. ".repeat(60);
    assert_broken(&played([said(&text), said(&text)]), 1, 2);
    let text = "Wait.\nActually, no.\n".repeat(120);
    assert_broken(&played([said(&text), said(&text)]), 1, 2);
}

/// The same thought before every call, while the calls differ and bring nothing: six rounds are enough for a
/// warning, fourteen for a hard finding.
#[test]
fn the_same_long_thought_before_calls_without_a_result_is_broken() {
    let thought = "The handler must be registered somewhere, so I need to find the place at which the routes are set up before I can change anything.";
    let rounds = (0..24).map(|n| {
        let args = json!({"pattern": format!("register_route_{n}"), "path": "server"});
        vec![said(thought), worked("grep", &args, "No matches found")]
    });
    assert_rounds_broken(Vec::new(), rounds, 6, 14);
}
