//! Runs of random steps with every part, from a fixed seed: numbers above 2^32 and 2^53, texts of many scripts, agents,
//! batches, proposals, and snapshots in the middle.

use serde_json::{Map, Value, json};

use super::golden_script::GoldenScript;

/// A generator of numbers: the same seed gives the same numbers on every machine.
struct GoldenDice(u64);

impl GoldenDice {
    /// Draws a number below `sides`.
    fn below(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut throw = self.0;
        throw = (throw ^ (throw >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        throw = (throw ^ (throw >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (throw ^ (throw >> 31)) % sides
    }

    /// Returns true in this share of the throws.
    fn percent(&mut self, share: u64) -> bool {
        self.below(100) < share
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize].clone()
    }
}

const TEXTS: &[&str] = &[
    "north",
    "look",
    "Fixed auth.ts - added null check",
    "2 failed: a, b",
    "Ünïcödé — 日本語のテキスト",
    "emoji 👩‍👩‍👧‍👦 and flags 🇩🇪",
    "عربي من اليمين",
    "tab\t, quote \", backslash \\, newline\n, bell \u{7}, zero \u{0}",
    "combining e\u{301} and zero\u{200b}width",
    "\u{2028}line\u{2029}separators\u{feff}",
    "Error: connection refused by 10.0.0.7:5432",
    "",
];

/// Numbers that not every language holds exactly.
const NUMBERS: &[i64] = &[
    0,
    1,
    4_294_967_295,
    4_294_967_296,
    9_007_199_254_740_991,
    9_007_199_254_740_993,
    i64::MAX,
    -7,
    i64::MIN,
];

fn label(dice: &mut GoldenDice) -> Value {
    match dice.below(4) {
        0 => json!(dice.pick(NUMBERS)),
        1 => json!(dice.pick(TEXTS)),
        _ => json!(dice.below(5)),
    }
}

fn arguments(dice: &mut GoldenDice) -> Value {
    let text = dice.pick(TEXTS);
    match dice.below(7) {
        0 => json!({"command": text}),
        1 => json!({"path": format!("src/{}.rs", dice.below(4)), "offset": dice.pick(NUMBERS)}),
        2 => json!([1, {"a": [null, true, 2.5]}]),
        3 => json!(text),
        4 => json!({}),
        5 => json!({"query": text, "limit": 18_446_744_073_709_551_615_u64, "ratio": 0.1}),
        _ => json!({"z": 1, "a": {"y": text, "b": -0.5}, "m": 1e21}),
    }
}

fn action(dice: &mut GoldenDice) -> Value {
    let names = ["bash", "read_file", "edit", "web_search", "north", "send_message", "日本", "wait"];
    if dice.percent(25) {
        return json!(dice.pick(TEXTS));
    }
    let mut action = json!({"name": dice.pick(&names)});
    if dice.percent(80) {
        action["args"] = arguments(dice);
    }
    if dice.percent(10) {
        action["kind"] = json!(dice.pick(&["edit", "read", "run", "search", "wait", "move", "say"]));
        action["target"] = json!(dice.pick(TEXTS));
    }
    action
}

fn place(dice: &mut GoldenDice) -> Value {
    let mut place = Map::new();
    if dice.percent(80) {
        place.insert("id".into(), label(dice));
    }
    if dice.percent(50) {
        place.insert("name".into(), json!(dice.pick(TEXTS)));
    }
    match dice.below(3) {
        0 => drop(place.insert("exits".into(), json!(["north", "süd", {"name": "up", "to": dice.below(5)}]))),
        1 => drop(place.insert("exits".into(), json!({"south": dice.below(5), "east": null}))),
        _ => {}
    }
    Value::Object(place)
}

fn step(dice: &mut GoldenDice, number: u64) -> Value {
    let mut step = Map::new();
    let mut set = |key: &str, value: Value| drop(step.insert(key.to_owned(), value));
    if dice.percent(10) {
        set("turn", json!(number * 4_294_967_296));
    }
    match dice.below(6) {
        0 => set("at", json!(format!("2025-11-04T09:{:02}:{:02}.5Z", number / 60 % 60, number % 60))),
        1..=3 => set("at", json!(1_762_248_900_000 + number * 1500)),
        _ => {}
    }
    if dice.percent(30) {
        set("agent", json!(dice.pick(&["main", "a", "Prüfer", "子"])));
    }
    if dice.percent(20) {
        set("batch", label(dice));
    }
    if dice.percent(5) {
        set("harness", json!(dice.pick(&["compaction", "continuation", "notification"])));
    }
    if dice.percent(65) {
        set("action", action(dice));
    }
    if dice.percent(65) {
        let mut outcome = json!({"text": dice.pick(TEXTS)});
        if dice.percent(50) {
            outcome["error"] = json!(dice.percent(50));
        }
        if dice.percent(30) {
            outcome["exit"] = json!(dice.pick(&[0, 1, 2, 130, -9]));
        }
        if dice.percent(6) {
            outcome["denied"] = json!(dice.pick(&["user", "guard", "policy"]));
        }
        set("outcome", outcome);
    }
    if dice.percent(12) {
        set("say", json!(dice.pick(TEXTS)));
    }
    if dice.percent(3) {
        set("user", json!(dice.pick(TEXTS)));
    }
    if dice.percent(35) {
        set("place", place(dice));
    }
    if dice.percent(35) {
        set("score", json!(dice.pick(&[0.0, 1.0, 1.5, 10.0, -3.25, 1e15])));
    }
    if dice.percent(12) {
        let completed =
            json!([dice.pick(TEXTS), {"objective": dice.pick(TEXTS), "completed_turn": dice.below(200)}]);
        set("objectives", json!({"active": [dice.pick(TEXTS)], "completed": completed}));
    }
    if dice.percent(15) {
        let status = dice.pick(&["done", "blocked", "in_progress"]);
        set("task", json!({"id": label(dice), "status": status, "blockers": [dice.pick(TEXTS)], "work": []}));
    }
    if dice.percent(5) {
        set("progress", json!(dice.percent(50)));
    }
    if dice.percent(7) {
        set("refused", json!(true));
    }
    if dice.percent(20) {
        set("critic", json!({"score": dice.pick(&[0.0, 0.3, 0.55, 0.9, 1.0])}));
    }
    if dice.percent(20) {
        set(
            "usage",
            json!({"input_tokens": dice.pick(&[1_200_u64, 4_294_967_300, 9_007_199_254_740_993]), "output_tokens": dice.below(900), "cost_usd": dice.pick(&[0.01, 0.125, 0.3])}),
        );
    }
    Value::Object(step)
}

fn proposal(dice: &mut GoldenDice) -> Value {
    let mut proposal = json!({"action": action(dice)});
    if dice.percent(60) {
        proposal["score"] = json!(dice.pick(&[0.0, 0.45, 0.7, 1.0]));
    }
    if dice.percent(30) {
        proposal["agent"] = json!(dice.pick(&["a", "Prüfer"]));
    }
    if dice.percent(20) {
        proposal["place"] = place(dice);
    }
    if dice.percent(20) {
        proposal["destination"] = label(dice);
    }
    proposal
}

/// Random steps and proposals under several profiles and settings.
pub(super) fn random() -> GoldenScript {
    let mut script = GoldenScript::new("random");
    let lively = json!({
        "budget": {"max_iterations": 90, "max_cost": 50.0},
        "stagnation": {"max_turns": 12, "check_interval": 5, "warn_at": 5},
        "signature": {"scope": "all"}, "similarity": {"scope": "all"}, "errors": {"hard_at": 5},
    });
    let configs = [
        lively,
        json!({"profile": "coding"}),
        json!({"profile": "game"}),
        json!({"profile": "tasks"}),
        json!({"profile": "documents"}),
    ];
    for (seed, config) in configs.iter().enumerate() {
        let mut dice = GoldenDice(seed as u64 + 1);
        script.guard(&format!("Lauf {seed} 🎲"), config);
        for number in 0..118 {
            script.see(&step(&mut dice, number));
            if dice.percent(15) {
                script.weigh(&proposal(&mut dice));
            }
        }
    }
    script
}

/// Random steps with snapshots between them.
pub(super) fn snapshots() -> GoldenScript {
    let mut script = GoldenScript::new("snapshots");
    for (seed, profile) in [(11, "auto"), (12, "game"), (13, "documents")] {
        let mut dice = GoldenDice(seed);
        script.guard(&format!("stored {seed}"), &json!({"profile": profile}));
        for number in 0..60 {
            script.see(&step(&mut dice, number));
            if number % 23 == 3 {
                script.snapshot();
            }
        }
    }
    script
}
