//! Runs through places, with scores, objectives and a critic: one for each pattern that is about them.

use serde_json::{Value, json};

use super::golden_script::GoldenScript;

/// A step to a place.
fn at(place: i64, action: &str, score: i64) -> Value {
    json!({
        "action": action, "score": score,
        "place": {"id": place, "name": format!("Raum {place} „Süd“"), "exits": ["north", {"name": "south", "to": place - 1}]},
    })
}

/// Places, scores, objectives and proposals with a score.
pub(super) fn places() -> GoldenScript {
    let mut script = GoldenScript::new("places");
    for profile in ["auto", "documents"] {
        let config = json!({"profile": profile});
        script.guard(&format!("to and fro in {profile}"), &config);
        for n in 0..30 {
            let (way, place) = [("north", "Dam"), ("south", "Lobby")][n % 2];
            script.see(&json!({"action": way, "place": place}));
            if n % 5 == 4 {
                weigh_ways(&mut script);
            }
        }
        script.guard(&format!("rounds of places in {profile}"), &config);
        for n in 0..45_i64 {
            let way = ["north", "east", "south-west"][n as usize % 3];
            script.see(&json!({"action": way, "place": {"id": 4_294_967_296 + n % 3}}));
        }
        weigh_ways(&mut script);
        script.guard(&format!("camping in {profile}"), &config);
        for n in 0..24 {
            let (place, action) =
                if n % 6 == 5 { (8, "south") } else { (9, ["look", "wait", "north"][n as usize % 3]) };
            script.see(&at(place, action, 5));
        }
        weigh_ways(&mut script);
        script.guard(&format!("no progress in {profile}"), &config);
        script.see(&json!({"score": 10, "objectives": {"active": ["open the dam", "Löwe füttern 🦁"]}}));
        for n in 0..64 {
            script.see(&at(n % 9, "examine wall", 10));
        }
        script
            .see(&json!({"score": 15}))
            .see(&json!({"objectives": {"completed": ["open the dam"]}, "score": 15}));
        script.see(&json!({"progress": true}));
    }
    dead_end(&mut script);
    refusals(&mut script);
    patience(&mut script);
    script
}

fn weigh_ways(script: &mut GoldenScript) {
    for (action, score) in [("north", 0.9), ("south", 0.55), ("east", 0.3)] {
        script.weigh(&json!({"action": action, "score": score}));
    }
    script.weigh(&json!({"action": "south", "score": 0.8, "destination": 8}));
    script.weigh(&json!({"action": "pray", "score": 0.4, "destination": {"name": "Altar"}, "place": {"id": 9, "exits": {"up": 3}}}));
    script.weigh(&json!({"action": "south"}));
}

/// A place that never leads to anything.
fn dead_end(script: &mut GoldenScript) {
    script.guard("a dead end", &json!({}));
    for n in 0..90_i64 {
        let place = [1, 2, 3, 4, 5, 6, 7, 8, 20][n as usize % 9];
        script.see(&at(place, &format!("go to {place}"), 0));
    }
}

/// Proposals that are refused, and made again.
fn refusals(script: &mut GoldenScript) {
    for profile in ["game", "documents"] {
        script.guard(&format!("refused returns in {profile}"), &json!({"profile": profile}));
        for n in 0..12 {
            let (way, place) = if n % 2 == 0 { ("north", 20) } else { ("south", 15) };
            script.see(&json!({"action": way, "place": {"id": place, "name": format!("room {place}")}, "score": 0, "critic": {"score": 0.9}}));
        }
        for _ in 0..4 {
            script.see(&json!({"action": "north", "critic": {"score": 0.8}, "refused": true}));
        }
        script.see(&json!({"action": "north", "critic": {"score": 0.8}, "place": {"id": 20}, "score": 0}));
    }
}

/// A limit that moves with what the run discovers.
fn patience(script: &mut GoldenScript) {
    script.guard("patience", &json!({"stagnation": {"max_turns": 12, "check_interval": 4, "warn_at": 6, "objective_turns": 8, "objective_weight": 0.5}}));
    for n in 0..60_i64 {
        let text = if n % 3 == 0 {
            "ok".to_owned()
        } else {
            format!("A room with {n} doors, and much to read: {}", "door ".repeat(25))
        };
        let mut step = at(n / 2 % 17, "look around", n / 40);
        step["outcome"] = json!(text);
        if n == 20 {
            step["objectives"] = json!({"active": [], "completed": [{"objective": "feed the lion", "completed_turn": 20, "completion_score": 1.5}]});
        }
        script.see(&step);
    }
}
