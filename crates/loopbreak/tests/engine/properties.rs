//! Properties of every run: a replay equals the live run, a snapshot changes nothing, memory is bounded, detectors are independent.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up is to fail")]

use crate::steps::{config, near, settings_of, written};
use loopbreak::snapshot::SNAPSHOT_BYTES;
use loopbreak::step::{ActionArgs, CompletedObjective};
use loopbreak::{
    Action, Config, DetectorName, Guard, Mode, Outcome, Place, Proposal, Settings, Snapshot, Step, Usage,
    Verdict,
    step::{
        Critic, Denial, EpochMillis, HarnessEvent, Label, Objectives, PlaceExit, PlaceRef, StepText, Task,
    },
};
use proptest::prelude::*;
use proptest::{collection::vec, option, sample::select};
use serde_json::{Value, json};

/// Returns a few texts often, any text sometimes, and huge and odd ones rarely.
fn text() -> impl Strategy<Value = StepText<'static>> {
    prop_oneof![
        6 => select(vec!["north", "south", "go east", "look", "Fixed auth.ts - added null check", "2 failed: a, b"])
            .prop_map(StepText::from),
        2 => any::<String>().prop_map(StepText::from),
        1 => "[\u{0}-\u{1f}\"\\\\é😀]{0,60}".prop_map(StepText::from),
        1 => (1_usize..6000).prop_map(|length| StepText::from("\u{1}x\"".repeat(length / 3))),
    ]
}

fn label() -> impl Strategy<Value = Label<'static>> {
    prop_oneof![4 => (0_i64..6).prop_map(Label::from), 1 => any::<i64>().prop_map(Label::from), 2 => text().prop_map(Label::Text)]
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        6 => (-5_i32..20).prop_map(f64::from),
        3 => 0.0..1.0,
        1 => any::<f64>(),
        1 => select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -0.0, 1e-320]),
    ]
}

fn action() -> impl Strategy<Value = Action<'static>> {
    let args = option::weighted(
        0.3,
        select(vec![json!({"command": "ls"}), json!("north"), json!({}), json!([1, {"a": 2}])]),
    );
    (text(), args, option::weighted(0.1, text()), option::weighted(0.1, text())).prop_map(
        |(name, args, kind, target)| {
            let action = Action { kind, target, ..Action::new(name) };
            args.map_or(action.clone(), |args| action.with_args(&args))
        },
    )
}

fn place() -> impl Strategy<Value = Place<'static>> {
    let exit = (text(), option::weighted(0.3, place_ref())).prop_map(|(name, to)| PlaceExit { name, to });
    (option::weighted(0.8, label()), option::of(text()), vec(exit, 0..4))
        .prop_map(|(id, name, exits)| Place { id, name, exits })
}

fn place_ref() -> impl Strategy<Value = PlaceRef<'static>> {
    (option::weighted(0.7, label()), option::of(text())).prop_map(|(id, name)| PlaceRef { id, name })
}

fn objectives() -> impl Strategy<Value = Objectives<'static>> {
    let completed = (text(), option::of(0_u64..200)).prop_map(|(objective, completed_turn)| {
        CompletedObjective { objective, completed_turn, ..CompletedObjective::default() }
    });
    (vec(text(), 0..7), vec(completed, 0..3)).prop_map(|(active, completed)| Objectives { active, completed })
}

fn task() -> impl Strategy<Value = Task<'static>> {
    let status = option::of(prop_oneof![
        4 => select(vec!["done", "completed", "blocked", "in_progress"]).prop_map(StepText::from),
        1 => text(),
    ]);
    (label(), status, vec(text(), 0..3), vec(text(), 0..3), option::of(label()))
        .prop_map(|(id, status, blockers, work, session)| Task { id, status, blockers, work, session })
}

/// Returns any step.
fn any_step() -> impl Strategy<Value = Step<'static>> {
    let turn =
        option::weighted(0.1, prop_oneof![8 => 0_u64..60, 2 => any::<u64>(), 1 => u64::MAX - 3..=u64::MAX]);
    let at = option::weighted(0.5, prop_oneof![6 => 0_i64..5_000_000, 1 => any::<i64>()]);
    let agent = option::weighted(
        0.3,
        prop_oneof![4 => select(vec!["main", "a", "b"]).prop_map(StepText::from), 1 => text()],
    );
    let denied = select(Denial::ALL);
    let outcome = (
        option::weighted(0.9, text()),
        option::weighted(0.6, any::<bool>()),
        option::weighted(0.3, -2_i64..130),
        option::weighted(0.1, denied),
    )
        .prop_map(|(text, error, exit, denied)| Outcome { text, error, exit, denied });
    let usage = (option::of(any::<u64>()), option::of(number())).prop_map(|(input_tokens, cost_usd)| Usage {
        input_tokens,
        cost_usd,
        ..Usage::default()
    });
    let who = (
        option::weighted(0.1, label()),
        turn,
        at,
        agent,
        option::weighted(0.05, text()),
        prop::bool::weighted(0.1),
    );
    let what = (
        option::weighted(0.6, action()),
        option::weighted(0.6, outcome),
        option::weighted(0.1, text()),
        option::weighted(0.3, select(vec![1_i64, 2, 3]).prop_map(Label::from)),
        option::weighted(0.1, select(HarnessEvent::ALL)),
    );
    let facets = (
        option::weighted(0.6, place()),
        option::weighted(0.2, place_ref()),
        option::weighted(0.5, number()),
        option::weighted(0.3, objectives()),
        option::weighted(0.3, task()),
        option::weighted(0.1, any::<bool>()),
        option::weighted(0.4, number()),
        option::weighted(0.3, usage),
    );
    (who, what, facets).prop_map(
        |(
            (run, turn, at, agent, user, refused),
            (action, outcome, say, batch, harness),
            (place, destination, score, objectives, task, progress, critic, usage),
        )| Step {
            run,
            turn,
            at: at.map(EpochMillis),
            agent,
            model: None,
            batch,
            harness,
            action,
            outcome,
            say,
            user,
            place,
            destination,
            score,
            objectives,
            task,
            progress,
            refused,
            critic: critic.map(|score| Critic { score: Some(score) }),
            usage,
            unknown_keys: 0,
        },
    )
}

/// Returns the step without values that JSON cannot represent. Its fractions are read back exactly by any
/// JSON reader: `serde_json` without `float_roundtrip` may miss the last bit of others.
fn writable(mut step: Step<'static>) -> Step<'static> {
    let exact = |number: Option<f64>| number.filter(|number| number.is_finite());
    step.score = exact(step.score);
    step.critic = step.critic.map(|critic| Critic { score: exact(critic.score) });
    step.usage = step.usage.map(|usage| Usage { cost_usd: exact(usage.cost_usd), ..usage });
    step
}

fn any_run(most: usize) -> impl Strategy<Value = Vec<Step<'static>>> {
    vec(any_step(), 0..most)
}

/// Returns settings under which as much as possible happens.
fn lively() -> Value {
    json!({
        "budget": {"max_iterations": 30, "max_runtime": 1_000_000, "max_cost": 50.0},
        "stagnation": {"max_turns": 12, "check_interval": 5, "warn_at": 5},
        "signature": {"scope": "all"}, "similarity": {"scope": "all"},
        "errors": {"hard_at": 5},
    })
}

fn observe_all(config: &Config, steps: &[Step<'_>]) -> Vec<Value> {
    let mut guard = Guard::new(config.clone());
    steps.iter().map(|step| written(&guard.observe(step))).collect()
}

/// Returns a finding without the parts that the policy adds: the loop id and the intervention.
fn findings(config: Config, steps: &[Step<'_>], of: impl Fn(DetectorName) -> bool) -> Vec<Value> {
    let mut guard = Guard::new(config);
    let mut all = Vec::new();
    for step in steps {
        for finding in guard.observe(step).findings.iter().filter(|finding| of(finding.detector)) {
            let mut finding = written(finding);
            finding.as_object_mut().unwrap().retain(|key, _| key != "loop" && key != "intervention");
            all.push(finding);
        }
    }
    all
}

fn bytes(guard: &Guard) -> usize {
    serde_json::to_string(&guard.snapshot()).unwrap().len()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_replay_of_the_log_gives_the_verdicts_of_the_live_run(steps in any_run(60)) {
        let steps: Vec<_> = steps.into_iter().map(writable).collect();
        let config = config(lively());
        let live = observe_all(&config, &steps);
        let log: Vec<String> = steps.iter().map(|step| serde_json::to_string(step).unwrap()).collect();
        let read: Vec<_> = log.iter().map(|line| Step::from_json(line).unwrap()).collect();
        prop_assert_eq!(live, observe_all(&config, &read));
    }

    #[test]
    fn verdicts_and_rulings_are_read_back_from_their_json(steps in any_run(60), proposal in action(), score in number()) {
        let mut guard = Guard::new(config(lively()));
        for step in &steps {
            let ruling = guard.weigh(&Proposal { action: proposal.clone(), score: Some(score), ..Proposal::default() });
            prop_assert_eq!(&crate::round_trip::read_back(&ruling), &ruling);
            let verdict = guard.observe(step);
            prop_assert_eq!(&crate::round_trip::read_back(&verdict), &verdict);
        }
    }

    #[test]
    fn weighing_changes_nothing(steps in any_run(40), proposal in action(), score in number()) {
        let config = config(lively());
        let plain = observe_all(&config, &steps);
        let mut guard = Guard::new(config);
        for (step, expected) in steps.iter().zip(plain) {
            for agent in [None, step.agent.clone()] {
                guard.weigh(&Proposal { action: proposal.clone(), score: Some(score), agent, place: step.place.clone(), destination: step.destination.clone() });
            }
            prop_assert_eq!(written(&guard.observe(step)), expected);
        }
    }

    #[test]
    fn a_snapshot_at_any_point_changes_nothing_later(steps in any_run(60), cut in 0_usize..60) {
        let steps: Vec<_> = steps.into_iter().map(writable).collect();
        let config = config(lively());
        let whole = observe_all(&config, &steps);
        let mut guard = Guard::new(config.clone());
        for (index, step) in steps.iter().enumerate() {
            if index == cut || index + 1 == steps.len() {
                let put_away = serde_json::to_string(&guard.snapshot()).unwrap();
                let taken_out: Snapshot = serde_json::from_str(&put_away).unwrap();
                guard = Guard::restore(config.clone(), taken_out).unwrap();
                prop_assert_eq!(serde_json::to_string(&guard.snapshot()).unwrap(), put_away);
            }
            prop_assert_eq!(&written(&guard.observe(step)), &whole[index], "step {}", index);
        }
    }

    #[test]
    fn no_detector_depends_on_another(steps in any_run(50), off in select(DetectorName::ALL)) {
        let settings = settings_of(loopbreak::Profile::Auto, lively());
        let all = Config::new(settings.clone()).unwrap();
        let without = Config::new(settings.with_mode(off, Mode::Off)).unwrap();
        prop_assert_eq!(findings(all, &steps, |name| name != off), findings(without.clone(), &steps, |_| true));
    }

    #[test]
    fn the_adjustments_of_a_ruling_sum_up_to_its_score(steps in any_run(40), min in -1.0..0.4_f64, max in 0.6..2.0_f64, reject in any::<bool>()) {
        let policy = json!({"score_min": min, "score_max": max, "ladder": {"reject": reject}});
        let mut guard = Guard::new(config(json!({"policy": policy})));
        for step in &steps {
            let Verdict { ruling, .. } = guard.observe(step);
            // No step makes the last move, so that it cannot be a repeat.
            for command in ["north", "s", "go east", "look", "read the plaque"] {
                for base in [0.1, 0.5, 0.9] {
                    let ruling = guard.weigh(&Proposal::new(command, base));
                    prop_assert!((min..=max).contains(&ruling.score));
                    let unknown = command == "read the plaque";
                    prop_assert!(!unknown || ruling.adjustments.is_empty(), "not a move, and new");
                }
            }
            let Some(ruling) = ruling else { continue };
            prop_assert!((min..=max).contains(&ruling.score));
            let applied: f64 = ruling.adjustments.iter().filter(|one| one.enforced).map(|one| one.amount).sum();
            prop_assert!(near(ruling.raw, ruling.base + applied) || ruling.base.abs() > 1e6);
            prop_assert!(ruling.accepted || ruling.score < ruling.accept_at);
            if reject {
                prop_assert_eq!(ruling.accepted, ruling.score >= ruling.accept_at);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_snapshot_stays_bounded_on_any_long_run(steps in any_run(400)) {
        let mut guard = Guard::new(Config::new(largest()).unwrap());
        for step in &steps {
            guard.observe(step);
        }
        prop_assert!(bytes(&guard) <= SNAPSHOT_BYTES);
    }
}

/// Returns settings with every limit on memory at its maximum.
fn largest() -> Settings {
    settings_of(
        loopbreak::Profile::Auto,
        json!({
            "revisit": {"window": 20, "history": 50},
            "camping": {"window": 50},
            "novelty": {"window": 50},
            "signature": {"scope": "all", "window": 20, "hint_at": 0, "hard_at": 2},
            "similarity": {"scope": "all", "window": 20},
            "task": {"max_attempts": 20, "force_next_after": 50},
            "budget": {"max_iterations": 5000, "max_cost": 1e9},
            "policy": {"repeat_advice": true},
        }),
    )
}

/// Returns a step in which everything is as long and as odd as possible.
fn worst(number: u64) -> Value {
    let odd = |what: u64| format!("{}\u{1}\"\\\u{1f}{what}", "\u{2}\"\\é\n".repeat(40));
    let agent = (number / 7) % 20;
    json!({
        "run": odd(1),
        "turn": u64::MAX - 100_000 + number,
        "at": 9_000_000_000_000_000_000_u64 + number,
        "agent": format!("agent {agent} {}", odd(agent)),
        "action": odd(number % 60),
        "outcome": {"text": format!("{number}{}", "\u{1}\u{2}\u{3}".repeat(1400)), "error": true},
        "place": {"id": format!("{}{}", number % 200, odd(2)), "name": odd(number % 200), "exits": (0..20).map(|exit| format!("{exit} {}", odd(exit))).collect::<Vec<_>>()},
        "score": 1.234_567_890_123_4e300,
        "objectives": {
            "active": (0..9).map(odd).collect::<Vec<_>>(),
            "completed": [odd(number), odd(number + 1)],
        },
        "task": {
            "id": format!("{}{}", number % 25, odd(3)), "status": odd(4), "session": odd(number),
            "blockers": (0..9).map(|blocker| format!("{blocker}{}", odd(blocker))).collect::<Vec<_>>(),
            "work": (0..30).map(|work| format!("{}{}", number % 3, odd(work))).collect::<Vec<_>>(),
        },
        "critic": {"score": 0.9},
        "usage": {"cost_usd": 0.123_456_789},
    })
}

#[test]
fn the_snapshot_stays_bounded_in_the_worst_case() {
    let mut guard = Guard::new(Config::new(largest()).unwrap());
    let mut most = 0;
    for number in 0..700 {
        guard.observe(&crate::steps::step(&worst(number)));
        if number % 25 == 0 {
            most = most.max(bytes(&guard));
        }
    }
    most = most.max(bytes(&guard));
    assert!(most <= SNAPSHOT_BYTES, "{most} bytes: {}", parts(&guard));
}

#[test]
fn the_snapshot_stays_bounded_when_agents_loop_between_places() {
    // Every agent moves back and forth, camps and repeats itself at changing places, so that every memory
    // fills up.
    let mut guard = Guard::new(Config::new(largest()).unwrap());
    for number in 0..4000_u64 {
        let (agent, round) = (number % 20, number / 20);
        let place = (round / 12) * 2 + round % 2;
        let way = if round % 2 == 0 { "north" } else { "south" };
        guard.observe(&crate::steps::step(&json!({
            "turn": u64::MAX - 100_000 + number,
            "agent": format!("agent {agent}"),
            "action": way,
            "critic": {"score": 0.9},
            "outcome": {"text": format!("Fixed file{}.ts - added check", round / 4), "error": round % 5 != 0},
            "place": {"id": 1_000_000_000_000_u64 + agent * 1000 + place, "name": format!("\"\"\"\"\"\"{place}\"\"\"\"\"\"\"\"\"\"")},
        })));
        assert!(
            number % 100 > 0 || bytes(&guard) <= SNAPSHOT_BYTES,
            "{} bytes: {}",
            bytes(&guard),
            parts(&guard)
        );
    }
    assert!(bytes(&guard) <= SNAPSHOT_BYTES, "{} bytes: {}", bytes(&guard), parts(&guard));
}

/// Returns the size of each part of a snapshot.
fn parts(guard: &Guard) -> String {
    let snapshot = written(&guard.snapshot());
    let state = snapshot["state"].as_object().unwrap();
    let sizes = state.iter().flat_map(|(name, part)| match (name.as_str(), part.as_object()) {
        ("detectors", Some(inner)) => {
            inner.iter().map(|(name, part)| (name.clone(), part.to_string().len())).collect()
        }
        _ => vec![(name.clone(), part.to_string().len())],
    });
    sizes.map(|(name, size)| format!("{name} {size}")).collect::<Vec<_>>().join(", ")
}

#[test]
fn arguments_keep_their_spelling() {
    let action = Action::new("bash").with_args(&json!({"command": "ls"}));
    assert_eq!(action.args.as_ref().map(ActionArgs::json), Some(r#"{"command":"ls"}"#));
}
