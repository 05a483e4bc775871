//! The end of a turn: too early, or repeatedly because another hook does not let the agent stop.

use crate::support::hooks::{HookHome, HookSession};
use serde_json::{Value, json};

fn end_turn(session: &HookSession<'_>, words: &str, held: bool) -> Value {
    let more = json!({"stop_hook_active": held, "last_assistant_message": words});
    session.home.send(&session.event("Stop", more))
}

#[test]
fn an_agent_that_another_hook_never_lets_stop_is_stopped_eventually() {
    for words in
        ["Done.", "Everything that was asked for is done, and there is nothing left for me to do here."]
    {
        let home = HookHome::new();
        let session = home.session("s1");
        session.prompt("tidy up");
        session.finish("rm -r build");
        let mut ended = None;
        for turn in 1..=12 {
            let answer = end_turn(&session, words, turn > 1);
            assert_eq!(answer.get("decision"), None, "it is not made to continue: {answer}");
            if answer["continue"] == false {
                assert!(answer["stopReason"].as_str().unwrap().contains("wants to stop"), "{answer}");
                ended = Some(turn);
                break;
            }
        }
        assert!(ended.is_some_and(|turn| (4..=10).contains(&turn)), "{words}: {ended:?}");
    }
}

#[test]
fn an_agent_in_a_conversation_may_end_any_number_of_turns() {
    let home = HookHome::new();
    let session = home.session("s1");
    for turn in 0..12 {
        session.prompt(&format!("and {turn}?"));
        assert_eq!(
            end_turn(&session, "That is the right one, as far as I can see from the files here.", false),
            Value::Null
        );
    }
}

#[test]
fn a_turn_that_ends_before_its_announced_call_is_reported_once() {
    let home = HookHome::new();
    let session = home.session("s1");
    session.prompt("run the tests");
    let answer = end_turn(&session, "The parser is mended. Let me run the tests:", false);
    assert_eq!(answer["decision"], "block");
    assert!(answer["reason"].as_str().unwrap().contains("Let me run the tests:"), "{answer}");
    // Never twice, and never in addition to a hook that already keeps it from stopping.
    assert_eq!(end_turn(&session, "Let me run the tests now:", true), Value::Null);
    assert_eq!(end_turn(&session, "Let me run them:", false), Value::Null);
    session.prompt("go on");
    let waiting = json!({"stop_hook_active": false, "last_assistant_message": "Let me wait for the build:",
                         "background_tasks": [{"id": "b1", "status": "running"}]});
    assert_eq!(home.send(&session.event("Stop", waiting)), Value::Null);
    assert_eq!(end_turn(&session, "I'll look at the log:", false)["decision"], "block");
    assert_eq!(end_turn(&session, "All tests pass.", false), Value::Null);
}

#[test]
fn gemini_gets_its_own_answer_at_the_end_of_a_turn() {
    let home = HookHome::new();
    let event = json!({"session_id": "g", "hook_event_name": "AfterAgent", "cwd": home.path(), "prompt": "go",
                       "prompt_response": "Let me read the file:", "stop_hook_active": false});
    let response = home.send_raw("gemini", event.to_string());
    let answer: Value = serde_json::from_str(&response.out).unwrap();
    assert_eq!(answer["decision"], "deny");
}
