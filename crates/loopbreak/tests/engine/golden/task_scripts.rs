//! Runs of tasks: one for each pattern and each recovery.

use serde_json::{Value, json};

use super::golden_script::GoldenScript;

fn attempt(id: &Value, status: &str, blockers: &[&str], work: &[&str]) -> Value {
    json!({"task": {"id": id, "status": status, "blockers": blockers, "work": work, "session": 9_007_199_254_740_993_u64}})
}

/// Tasks that are attempted again, blocked tasks, tasks in turn, limits.
pub(super) fn tasks() -> GoldenScript {
    let mut script = GoldenScript::new("tasks");
    for profile in ["auto", "tasks", "documents"] {
        for (name, id, status, blockers, work) in [
            ("done", json!("T3.4.2"), "done", &[][..], &["Implemented dashboard.tsx"][..]),
            ("blocked", json!(4_294_967_300_u64), "blocked", &["critic:design_system unavailable"], &[]),
            ("secret", json!("Aufgabe ß"), "blocked", &["missing API token"], &[]),
            ("same work", json!("T7.1.2"), "in_progress", &[], &["Read file A", "Parse config"]),
        ] {
            script.guard(&format!("{name} in {profile}"), &json!({"profile": profile}));
            for n in 0..12_u64 {
                let mut step = attempt(&id, status, blockers, work);
                step["at"] = json!(1_762_248_924_000 + n * 30_000);
                script.see(&step);
            }
        }
        script.guard(&format!("in turn in {profile}"), &json!({"profile": profile}));
        for n in 0..20_usize {
            let work = [&["read", "plan"][..], &["read"], &["plan"]][if n < 2 { 0 } else { 1 + n / 2 % 2 }];
            script.see(&attempt(&json!(["A", "B"][n % 2]), "in_progress", &[], work));
        }
    }
    limits(&mut script);
    script
}

/// Limits of turns, time and money.
fn limits(script: &mut GoldenScript) {
    let budget = json!({"budget": {"max_iterations": 12, "max_runtime": "10m", "max_cost": 2.5}});
    script.guard("limits", &budget);
    for n in 0..14_u64 {
        script.see(&json!({"at": 1_762_248_924_000 + n * 55_000, "say": format!("part {n}"), "usage": {"input_tokens": 5_000_000_000_u64 + n, "output_tokens": 80, "cost_usd": 0.1 + n as f64 / 20.0}}));
    }
    for (key, steps) in [
        ("max_cost_session", 4_u64),
        ("max_cost_hour", 4),
        ("max_cost_day", 4),
        ("max_cost_total", 4),
        ("max_cost_per_minute", 8),
    ] {
        script.guard(key, &json!({"budget": {key: 2.0}}));
        for n in 0..steps {
            script.see(&json!({"at": 1_762_248_924_000 + n * 40_000, "say": format!("part {n}"), "usage": {"cost_usd": 7.5 * (n + 1) as f64}}));
        }
    }
    script.guard(
        "errors",
        &json!({"profile": "iterations", "similarity": {"mode": "off"}, "signature": {"mode": "off"}}),
    );
    for n in 0..4_u64 {
        script.see(
            &json!({"at": n * 1000, "outcome": {"text": format!("Error: disk {n} full"), "error": true}}),
        );
    }
    script.guard("loop", &json!({"profile": "iterations", "budget": {"max_iterations": 0}}));
    for _ in 0..5 {
        script.see(&json!({"outcome": {"text": "Error: disk full", "error": true}}));
    }
    script.guard("stops on a loop", &json!({"policy": {"on_loop": "stop"}}));
    for _ in 0..10 {
        script.see(&json!({"action": {"name": "bash", "args": {"command": "make"}}, "outcome": {"text": "error 2", "exit": 2}}));
    }
}
