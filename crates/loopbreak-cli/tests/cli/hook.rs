//! Hooks through the real program, as agents start them: a conversation written for these tests, and
//! everything that can go wrong. No failure may harm the agent.

use crate::support::done;
use crate::support::hooks::{HookHome, HookSession, decision};
use serde_json::{Value, json};

#[test]
fn an_agent_is_warned_at_the_third_identical_call_and_refused_at_the_eighth() {
    let home = HookHome::new();
    let session = home.session("s1");
    session.prompt("make the tests pass");
    let mut advised = Vec::new();
    for call in 1..=7 {
        assert_eq!(session.propose("make test"), Value::Null, "call {call}");
        let answer = session.finish("make test");
        if let Some(text) = answer["hookSpecificOutput"]["additionalContext"].as_str() {
            assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "PostToolUse");
            assert!(text.contains("make test"), "{text}");
            advised.push(call);
        }
    }
    assert_eq!(advised, [3, 6]);

    let answer = session.propose("make test");
    assert_eq!(decision(&answer), "deny");
    let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
    for part in ["make test", "7 times in a row", "1 failed", "advice at turns 4, 7"] {
        assert!(reason.contains(part), "{part}: {reason}");
    }

    // Other calls are allowed, even on the same target, and so are other sessions.
    assert_eq!(session.propose("make test VERBOSE=1"), Value::Null);
    assert_eq!(session.propose("ls"), Value::Null);
    assert_eq!(home.session("s2").propose("make test"), Value::Null);

    // A message from the user unblocks it.
    session.prompt("try again, I changed the machine");
    assert_eq!(session.propose("make test"), Value::Null);
}

#[test]
fn a_human_is_asked_if_the_agent_insists_and_approval_resets_the_count() {
    let home = HookHome::new();
    let session = home.session("s1");
    assert_eq!(session.call_until_denied("make test"), 8);
    for _ in 0..2 {
        let answer = session.insist("make test");
        assert_eq!(decision(&answer), "ask");
        let reason = answer["hookSpecificOutput"]["permissionDecisionReason"].as_str().unwrap();
        assert!(reason.contains("insists"), "{reason}");
    }
    // The human approves: the call is made, and the next one is not questioned.
    session.finish("make test");
    assert_eq!(session.propose("make test"), Value::Null);

    let kinds: Vec<String> = home
        .json(&["log", "s1", "--json"])
        .iter()
        .map(|event| event["kind"].as_str().unwrap().to_owned())
        .collect();
    let count = |kind: &str| kinds.iter().filter(|known| *known == kind).count();
    assert_eq!((count("step"), count("refused"), count("asked")), (8, 1, 2), "{kinds:?}");
}

#[test]
fn the_response_to_an_insisting_agent_is_configurable() {
    for (on_loop, expected) in [("stop", "stop"), ("advise", "deny")] {
        let home = HookHome::new();
        let settings = format!("[policy]\non_loop = \"{on_loop}\"\n");
        home.configure(&settings);
        let session = home.session("s1");
        session.call_until_denied("make test");
        let answer = session.insist("make test");
        // Claude Code carries out a call that is only stopped, so it is refused as well.
        assert_eq!(decision(&answer), "deny", "{answer}");
        assert_eq!(answer["continue"] == false, expected == "stop", "{answer}");
        // A stop stays due until the user speaks. Without a stop, other calls are still allowed.
        assert_eq!(session.propose("ls").is_null(), expected != "stop");
        session.prompt("go on");
        assert_eq!(session.propose("ls"), Value::Null);
    }
}

#[test]
fn an_effective_edit_unblocks_the_call() {
    let home = HookHome::new();
    let session = home.session("s1");
    session.call_until_denied("make test");
    let edit = json!({"file_path": "/p/a.c", "old_string": "1", "new_string": "2"});
    let more = json!({"tool_response": {"filePath": "/p/a.c", "oldString": "1", "newString": "2"}});
    assert_eq!(home.send(&session.tool("PostToolUse", "Edit", &edit, more)), Value::Null);
    assert_eq!(session.propose("make test"), Value::Null);
}

#[test]
fn only_the_next_call_of_a_longer_cycle_is_refused() {
    let home = HookHome::new();
    let session = home.session("s1");
    let mut refused = None;
    for call in 0..24 {
        let command = ["make a", "make b", "make c"][call % 3];
        if decision(&session.propose(command)) == "deny" {
            refused = Some(command);
            break;
        }
        session.finish(command);
    }
    assert_eq!(refused, Some("make a"));
    assert_eq!(session.propose("make d"), Value::Null);
}

#[test]
fn different_attempts_at_a_failing_target_are_warned_about_but_never_refused() {
    let home = HookHome::new();
    let session = home.session("s1");
    let mut advised = false;
    for number in 0..14 {
        let edit = json!({"file_path": "/p/a.c", "old_string": format!("x{number}"), "new_string": "y"});
        assert_eq!(home.send(&session.tool("PreToolUse", "Edit", &edit, json!({}))), Value::Null, "{number}");
        let error = json!({"error": "String to replace not found in file."});
        let answer = home.send(&session.tool("PostToolUseFailure", "Edit", &edit, error));
        advised |= answer["hookSpecificOutput"]["additionalContext"].is_string();
    }
    assert!(advised);
}

#[test]
fn a_subagent_has_its_own_guard() {
    let home = HookHome::new();
    let main = home.session("s1");
    let sub = HookSession { agent: Some("a1"), ..main };
    assert_eq!(sub.call_until_denied("make test"), 8);
    assert_eq!(main.propose("make test"), Value::Null);
    home.send(&sub.event("SubagentStop", json!({"stop_hook_active": false})));
    let all = &home.json(&["status", "--all", "--json"])[0];
    assert_eq!((&all["runs"][0]["agent"], &all["runs"][0]["running"]), (&json!("a1"), &json!(false)));
}

#[test]
fn without_a_name_the_agent_is_found_from_the_event() {
    let home = HookHome::new();
    let session = home.session("s1");
    session.call_until_denied("make test");
    let answer = |extra: Value| {
        let event = session.tool("PreToolUse", "Bash", &json!({"command": "make test"}), extra).to_string();
        let done = done(home.command(&["hook"]).write_stdin(event));
        assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
        done.out
    };
    assert!(answer(json!({"prompt_id": "p1"})).contains("permissionDecision"));
    // Codex CLI has made no calls, and nobody knows the last agent.
    assert_eq!(answer(json!({"turn_id": "t1", "model": "m"})), "");
    assert_eq!(answer(json!({})), "");
    let broken = done(home.command(&["hook"]).write_stdin("{"));
    assert_eq!(broken.code, Some(0));
    assert!(broken.err.contains("the agent continues"), "{}", broken.err);
}

#[test]
fn the_user_can_overrule_the_guard_at_once() {
    let home = HookHome::new();
    let session = home.session("s1");
    session.call_until_denied("make test");
    let event = session.tool("PreToolUse", "Bash", &json!({"command": "make test"}), json!({})).to_string();
    let off = done(home.command(&["hook", "claude-code"]).env("LOOPBREAK", "off").write_stdin(event.clone()));
    assert_eq!((off.out.as_str(), off.err.as_str(), off.code), ("", "", Some(0)));
    let rule = "[[allow]]\ntool = \"Bash\"\nargs = \"*make test*\"\n";
    for settings in [rule, "mode = \"observe\"\n", "mode = \"off\"\n"] {
        home.configure(settings);
        assert_eq!(decision(&session.propose("make test")), "", "{settings}");
    }
}

#[test]
fn status_and_log_show_the_state_of_runs() {
    let home = HookHome::new();
    assert_eq!(home.json(&["status", "--json"])[0]["running"], false);
    let session = home.session("s1");
    session.prompt("use the token sk-ant-REDACTED");
    session.call_until_denied("make test");
    home.send(&session.event("Stop", json!({"stop_hook_active": false})));
    let status = &home.json(&["status", "--json"])[0];
    assert_eq!((&status["running"], &status["tickCount"]), (&json!(true), &json!(8)));
    let loops = status["loopDetection"].as_object().unwrap();
    let cycle = loops.values().find(|seen| seen["pattern"] == "cycle").unwrap();
    assert_eq!(cycle["attemptCount"], 7);
    assert!(cycle["lastAttempt"].as_i64().unwrap() > 1_700_000_000_000);

    let shown = done(&mut home.command(&["log", "s"]));
    for part in ["user", "advise", "refused", "deny", "stop", "make test"] {
        assert!(shown.out.contains(part), "{part}: {}", shown.out);
    }
    assert!(!shown.out.contains("abcdefghijklmnop"), "{}", shown.out);
    let events = home.json(&["log", "s1", "--json"]);
    let refused: Vec<&Value> = events.iter().filter(|event| event["kind"] == "refused").collect();
    assert_eq!(
        (refused.len(), &refused[0]["refused"], &refused[0]["answer"]),
        (1, &json!(true), &json!("deny"))
    );

    home.send(&session.event("SessionEnd", json!({"reason": "exit"})));
    assert_eq!(home.json(&["status", "--json"])[0]["running"], false);
    let unknown = done(&mut home.command(&["log", "nobody"]));
    assert_eq!(unknown.code, Some(2), "{}", unknown.err);
}

#[test]
fn status_shows_a_session_that_has_ended_and_counts_its_refusals() {
    let home = HookHome::new();
    let none = done(&mut home.command(&["status"])).out;
    assert!(none.starts_with("no runs stored yet; `loopbreak hook install`"), "{none}");
    let session = home.session("s1");
    session.prompt("make the tests pass");
    session.call_until_denied("make test");
    // The agent insists: a human is asked three times, then it is stopped.
    for _ in 0..4 {
        home.send(&session.event("PostToolBatch", json!({"tool_calls": []})));
        session.propose("make test");
    }
    home.send(&session.event("SessionEnd", json!({"reason": "other"})));
    let status = home.json(&["status", "--json"]).remove(0);
    let run = &status["runs"][0];
    assert_eq!(
        (&run["state"], &run["endReason"]),
        (&json!("ended"), &json!("stopped by the guard")),
        "{run}"
    );
    let measures = &run["measures"];
    let counted = ["refused", "asked", "stopped"].map(|what| measures[what].as_u64().unwrap());
    assert_eq!(counted, [2, 3, 1], "{run}");
    assert!(measures["warned"].as_u64().unwrap() > 0 && status["measures"] == *measures, "{run}");
    for time in ["startedAt", "lastEventAt", "endedAt"] {
        let text = run[time].as_str().unwrap();
        assert!(text.starts_with("20") && text.ends_with('Z') && text.contains('T'), "{text}");
    }
    let refused = run["loopDetection"].as_object().unwrap().values().find(|known| known["refused"] == 2);
    assert_eq!(refused.unwrap()["asked"], 3, "{run}");
    let text = done(&mut home.command(&["status"])).out;
    for part in [
        " s ago (stopped by the guard), ",
        "refused 2 times, asked 3 times, stopped once\n",
        "    refused 2 times, asked 3 times, stopped once: cycle, 7 times since turn 2: Bash",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // The user allows the call: that does not start the session again.
    assert_eq!(done(&mut home.command(&["allow", "last"])).code, Some(0));
    assert_eq!(home.json(&["status", "--json"])[0]["running"], false);
}

#[test]
fn log_finds_the_last_run_and_names_those_that_were_meant() {
    let home = HookHome::new();
    assert_eq!(done(&mut home.command(&["log", "last"])).code, Some(2));
    for name in ["5f2c-one", "5f3d-two"] {
        home.session(name).finish("make");
    }
    let last = done(&mut home.command(&["log", "last"]));
    assert!(last.out.starts_with("5f3d-two, claude-code, "), "{}{}", last.out, last.err);
    assert!(done(&mut home.command(&["log", "5f2"])).out.starts_with("5f2c-one, "));
    let both = done(&mut home.command(&["log", "5f"]));
    assert_eq!(both.code, Some(2));
    for part in ["more than one run starts with \"5f\"", "5f2c-one", "5f3d-two"] {
        assert!(both.err.contains(part), "{part}: {}", both.err);
    }
    for typo in ["5f2d-one", "5g2c"] {
        let unknown = done(&mut home.command(&["log", typo]));
        assert_eq!(unknown.code, Some(2));
        assert!(unknown.err.contains("did you mean 5f2c-one?"), "{}", unknown.err);
    }
    assert!(done(&mut home.command(&["log", "elsewhere"])).err.contains("loopbreak status --all"));
    // A session may have this name.
    home.session("last").finish("make");
    home.session("5f2c-one").finish("make");
    assert!(done(&mut home.command(&["log", "last"])).out.starts_with("last, "));
}
