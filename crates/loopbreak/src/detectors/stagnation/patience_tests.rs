//! `stagnation.patience`: a deadline that moves with the discoveries of the run.

use crate::steps::{RunDriver, config_of, step, written};
use crate::{Config, DetectorName, Guard, Profile, Severity};
use serde_json::{Value, json};

/// Returns settings with only `stagnation` enabled.
fn patience(patience: &str, more: &Value) -> Config {
    let mut stagnation = json!({"patience": patience});
    stagnation.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap_or_default());
    config_of(Profile::Documents, json!({"stagnation": stagnation}))
}

fn stops(config: Config, steps: &[Value]) -> Vec<u64> {
    let mut run = RunDriver::with(config);
    for step in steps {
        run.see(step);
    }
    run.turns(DetectorName::Stagnation, Severity::Hard)
}

/// Returns a room with a description.
fn room(number: usize) -> String {
    format!(
        "Room {number}\nThis is the hall of the {number} lamps, long and cold. Water drips from the roof, a stair of worn \
         stones leads down, and a door with an iron ring stands to the east."
    )
}

/// Returns the first points at turn 4, then only the steps that `reply` gives.
fn after_a_point(turns: usize, reply: impl Fn(usize) -> (String, String)) -> Vec<Value> {
    let steps = (1..=turns).map(|turn| {
        let (action, reply) = reply(turn);
        json!({"action": action, "outcome": reply, "score": if turn < 4 { 0 } else { 5 }})
    });
    steps.collect()
}

/// Returns a run in which four of five steps are short, as in a winning game, and the fifth shows a new room.
fn walkthrough(turns: usize) -> Vec<Value> {
    after_a_point(turns, |turn| match turn % 5 {
        0 => ("east".into(), room(turn)),
        1 => ("west".into(), room(turn.saturating_sub(6))),
        2 => (format!("take lamp {turn}"), "Taken.".into()),
        _ => (
            format!("look at lamp {turn}"),
            format!("Lamp {turn} is made of brass, and it has a story of its own to tell."),
        ),
    })
}

/// Returns new actions that all get one of a few refusals.
fn refusals(turns: usize) -> Vec<Value> {
    after_a_point(turns, |turn| (format!("push wall {turn}"), format!("You can't see any wall {turn} here.")))
}

#[test]
fn a_winning_game_that_the_fixed_limit_stops_continues() {
    let mut steps = walkthrough(75);
    steps.push(json!({"action": "open chest", "outcome": "A crown!", "score": 30}));
    assert_eq!(stops(patience("fixed", &json!({})), &steps).first(), Some(&50));
    assert_eq!(stops(patience("exploring", &json!({})), &steps), [0; 0]);
}

#[test]
fn a_run_that_is_only_refused_is_stopped_at_the_limit_and_not_before() {
    assert_eq!(stops(patience("fixed", &json!({})), &refusals(60)).first(), Some(&50));
    assert_eq!(stops(patience("exploring", &json!({})), &refusals(60)).first(), Some(&50));
}

#[test]
fn a_long_refusal_is_recognized_by_the_many_actions_that_got_it() {
    let refusal = "Noun error. This could mean a number of things: a noun of your command may not be here, or it is here \
                   and cannot be seen, or you may have misspelled something.";
    let walk = |turn: usize| if turn < 8 { ("east".into(), room(turn)) } else { (format!("push wall {turn}"), refusal.into()) };
    assert_eq!(stops(patience("exploring", &json!({})), &after_a_point(90, walk)).first(), Some(&50));
    let told = |turn: usize| if turn < 8 { ("east".into(), room(turn)) } else { (format!("look {turn}"), room(turn)) };
    assert_eq!(stops(patience("exploring", &json!({})), &after_a_point(90, told)).first(), Some(&90));
}

#[test]
fn new_rooms_move_the_deadline_and_known_ones_do_not() {
    let known = after_a_point(90, |turn| (["east", "west"][turn % 2].into(), room(turn % 2)));
    assert_eq!(stops(patience("exploring", &json!({})), &known).first(), Some(&50));
    let new = after_a_point(60, |turn| ("east".into(), room(if turn < 8 { turn } else { 0 })));
    assert!(stops(patience("exploring", &json!({})), &new).is_empty());
}

#[test]
fn the_first_move_between_two_places_is_a_discovery() {
    let walk = |places: usize| -> Vec<Value> {
        (1..=60)
            .map(
                |turn| json!({"action": "go", "place": {"id": turn % places}, "score": if turn < 4 { 0 } else { 5 }}),
            )
            .collect()
    };
    assert_eq!(stops(patience("exploring", &json!({})), &walk(3)).first(), Some(&50));
    assert!(stops(patience("exploring", &json!({})), &walk(50)).is_empty());
}

#[test]
fn an_exploring_run_is_stopped_at_twice_the_limit() {
    let steps = after_a_point(200, |turn| ("east".into(), room(turn)));
    assert_eq!(stops(patience("exploring", &json!({})), &steps).first(), Some(&90));
    let short = json!({"max_turns": 20, "warn_at": 10, "check_interval": 1});
    assert_eq!(stops(patience("exploring", &short), &steps).first(), Some(&44));
}

#[test]
fn the_deadline_does_not_move_forward_before_the_first_progress() {
    let steps: Vec<Value> = (1..60)
        .map(|turn| json!({"action": format!("say {turn}"), "outcome": "What?", "score": 0}))
        .collect();
    assert_eq!(stops(patience("exploring", &json!({})), &steps).first(), Some(&40));
}

#[test]
fn without_replies_and_places_the_deadline_does_not_move() {
    for record in [
        json!({"score": 5}),
        json!({"action": "wait", "score": 5}),
        json!({"action": "x", "outcome": "", "score": 5}),
    ] {
        let steps: Vec<Value> =
            [json!({"score": 0})].into_iter().chain(std::iter::repeat_n(record, 60)).collect();
        assert_eq!(
            stops(patience("exploring", &json!({})), &steps),
            stops(patience("fixed", &json!({})), &steps)
        );
    }
}

#[test]
fn the_profiles_auto_and_game_explore_and_documents_does_not() {
    let of = |profile| written(&config_of(profile, json!({})).stagnation.patience);
    assert_eq!([of(Profile::Auto), of(Profile::Game)], ["exploring", "exploring"]);
    for profile in [Profile::Documents, Profile::Coding, Profile::Tasks, Profile::Iterations] {
        assert_eq!(of(profile), "fixed", "{profile:?}");
    }
}

#[test]
fn the_countdown_runs_to_the_moved_deadline() {
    // Discoveries until turn 20, then refusals: the deadline moves away, then closer, and may end up in the
    // past.
    for finds in 0..20 {
        let steps = after_a_point(100, |turn| {
            if turn < finds {
                ("east".into(), room(turn))
            } else {
                (format!("push {turn}"), "It does not move.".into())
            }
        });
        let mut run = RunDriver::with(patience("exploring", &json!({})));
        let mut ended = false;
        for step in &steps {
            let verdict = run.see(step).clone();
            let event = verdict
                .events
                .iter()
                .map(written)
                .find(|event| event["event_type"] == "progress_check")
                .unwrap();
            let (stuck, allowed) =
                (event["turns_stuck"].as_u64().unwrap(), event["turns_allowed"].as_u64().unwrap_or(40));
            assert!((25..=80).contains(&allowed), "{allowed}");
            let due = (verdict.turn - stuck + allowed).max(verdict.turn + 1).div_ceil(10) * 10;
            for finding in verdict.findings.iter().filter(|finding| finding.severity == Severity::Warn) {
                let left = finding.evidence.number("turns_left").unwrap();
                assert_eq!(verdict.turn + left, due, "turn {}", verdict.turn);
                assert!(left >= 1);
            }
            let hard = verdict.findings.iter().any(|finding| finding.severity == Severity::Hard);
            assert!(
                ended || hard == (verdict.turn.is_multiple_of(10) && stuck >= allowed),
                "turn {}",
                verdict.turn
            );
            ended |= hard;
        }
        assert!(ended);
    }
}

#[test]
fn the_fixed_limit_reports_no_moved_deadline() {
    let mut run = RunDriver::with(patience("fixed", &json!({})));
    for step in refusals(60) {
        run.see(&step);
    }
    let text = serde_json::to_string(
        &run.verdicts.iter().map(|verdict| written(&verdict.events)).collect::<Vec<_>>(),
    );
    assert!(!text.unwrap().contains("turns_allowed"));
}

#[test]
fn a_restored_guard_continues_to_explore() {
    let steps = walkthrough(90);
    let mut straight = RunDriver::with(patience("exploring", &json!({})));
    let mut resumed = Guard::new(patience("exploring", &json!({}))).for_run("r");
    for record in &steps {
        let json = serde_json::to_string(&resumed.snapshot()).unwrap();
        resumed =
            Guard::restore(patience("exploring", &json!({})), serde_json::from_str(&json).unwrap()).unwrap();
        assert_eq!(written(&resumed.observe(&step(record))), written(straight.see(record)));
    }
}
