//! `loopbreak allow last`: the user overrules the guard.

use std::fs;

use crate::support::done;
use crate::support::hooks::{HookHome, decision};
use serde_json::Value;

#[test]
fn the_last_refused_call_is_allowed_in_its_session_only() {
    let home = HookHome::new();
    let (one, two) = (home.session("one"), home.session("two"));
    one.call_until_denied("make lint");
    two.call_until_denied("make test");
    let allowed = done(&mut home.command(&["allow", "last"]));
    assert_eq!((allowed.code, allowed.err.as_str()), (Some(0), ""));
    assert!(allowed.out.contains("two") && allowed.out.contains("make test"), "{}", allowed.out);
    for _ in 0..12 {
        assert_eq!(two.propose("make test"), Value::Null);
        assert_eq!(two.finish("make test"), Value::Null);
    }
    assert_ne!(decision(&one.propose("make lint")), "", "the other session is as it was");
    assert!(!home.path().join("loopbreak.toml").exists());

    let named = done(&mut home.command(&["allow", "last", "--run", "on"]));
    assert!(named.out.contains("make lint"), "{}{}", named.out, named.err);
    assert_eq!(one.propose("make lint"), Value::Null);
    let log = done(&mut home.command(&["log", "one"]));
    assert!(log.out.contains("allowed"), "{}", log.out);
}

#[test]
fn a_saved_rule_applies_to_all_sessions_of_the_project() {
    let home = HookHome::new();
    let file = home.path().join("loopbreak.toml");
    fs::write(&file, "# mine\n[cycle]\nwarn_at = 3\n").unwrap();
    home.session("one").call_until_denied("make \"test\"");
    let allowed = done(&mut home.command(&["allow", "last", "--save"]));
    assert_eq!(allowed.code, Some(0), "{}", allowed.err);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("# mine\n[cycle]\nwarn_at = 3\n") && text.contains("[[allow]]"), "{text}");
    let two = home.session("two");
    for _ in 0..12 {
        assert_eq!(two.propose("make \"test\""), Value::Null);
        assert_eq!(two.finish("make \"test\""), Value::Null);
    }
}

#[test]
fn without_a_refusal_there_is_nothing_to_allow() {
    let home = HookHome::new();
    for _ in 0..2 {
        let nothing = done(&mut home.command(&["allow", "last"]));
        assert_eq!(nothing.code, Some(1));
        assert!(nothing.err.contains("no refused call found"), "{}", nothing.err);
        home.session("s").finish("ls");
    }
}
