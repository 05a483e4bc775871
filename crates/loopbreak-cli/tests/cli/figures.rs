//! Figures over runs: checks, calls, penalties, lengths, scores, proposals, objectives and findings by pattern.

#![expect(clippy::unwrap_used, reason = "a test that cannot begin has failed")]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::browser::TestBrowser;
use crate::support::{analyze, folder, json as report_of, root, stuck};

/// Returns a run that walks between two places with the approval of a critic.
fn oscillating_run(run: &str, turns: u64) -> String {
    let mut log = String::new();
    for turn in 1..=turns {
        let (way, place) = if turn % 2 == 0 { ("north", 2) } else { ("south", 1) };
        let step = json!({"run": run, "turn": turn, "action": way, "outcome": format!("Hall {place}."), "place": {"id": place,
            "name": format!("Hall {place}")}, "score": 5, "critic": {"score": 0.6}});
        writeln!(log, "{step}").unwrap();
    }
    log
}

/// Returns a run that stays at one place, completes an objective at turn 10 and another one at turn 70.
fn camping_run(run: &str, turns: u64) -> String {
    let mut log = String::new();
    for turn in 1..=turns {
        let mut step = json!({"run": run, "turn": turn, "action": format!("push brick {turn}"), "outcome": "Nothing.",
            "place": {"id": 7, "name": "Cellar"}, "score": 20, "critic": {"score": 0.9}});
        if turn == 10 || turn == 70 {
            step["objectives"] = json!({"completed": [format!("objective {turn}")]});
        }
        writeln!(log, "{step}").unwrap();
    }
    log
}

fn games(folder: &Path) -> Value {
    let log = oscillating_run("osc", 30) + &camping_run("camp", 80) + &stuck("score", 25);
    fs::write(folder.join("games.jsonl"), log).unwrap();
    report_of(folder, &["games.jsonl", "--set", "stagnation.patience=fixed"])
}

#[test]
fn penalties_lengths_scores_and_objectives_are_summed_over_runs() {
    let folder = folder();
    let report = games(folder.path());
    let (totals, runs) = (&report["totals"], report["runs"].as_array().unwrap());
    let sum = |key: &str| runs.iter().map(|run| run[key].as_u64().unwrap_or(0)).sum::<u64>();
    for key in ["penalized_proposals", "rejected_proposals"] {
        assert_eq!(totals[key].as_u64(), Some(sum(key)), "{key}");
    }
    assert!(sum("rejected_proposals") > 0);
    assert_eq!(totals["mean_steps"], json!(45));
    let scores = &totals["scores"];
    assert_eq!((&scores["runs"], &scores["min"], &scores["max"]), (&3.into(), &3.into(), &20.into()));
    assert_eq!(
        (&scores["lower_quartile"], &scores["median"], &scores["upper_quartile"]),
        (&3.into(), &5.into(), &20.into())
    );
    // The second objective of the camping run is completed after its stop.
    assert_eq!(totals["objectives_completed"], 2);
    assert_eq!((&totals["stuck_runs"], &totals["objectives_in_stuck_runs"]), (&3.into(), &2.into()));
    assert_eq!(totals["objectives_after_ending"], 1);
    let proposals = &totals["proposals"];
    assert_eq!(proposals["count"], 30 + 80);
    assert!(proposals["mean_adjusted"].as_f64() < proposals["mean_base"].as_f64());
    let bins = proposals["histogram"].as_array().unwrap();
    let all = |key: &str| bins.iter().map(|bin| bin[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!((bins.len(), all("base"), all("adjusted")), (10, 110, 110));
    assert_eq!((&bins[6]["base"], &bins[9]["base"]), (&30.into(), &80.into()));
    let ruled: u64 =
        totals["rulings"].as_array().unwrap().iter().map(|sum| sum["rejected"].as_u64().unwrap()).sum();
    assert_eq!(ruled, sum("rejected_proposals"));
}

/// "Oscillation against camping, how often": the sums by pattern count every finding, also those that are not listed.
#[test]
fn findings_are_counted_by_pattern_over_runs() {
    let folder = folder();
    let report = games(folder.path());
    let counts = report["totals"]["patterns"].as_array().unwrap();
    let findings: Vec<&Value> = report["runs"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|run| run["findings"].as_array().unwrap())
        .collect();
    for (pattern, most) in [("oscillation", 1), ("camping", 2)] {
        let count = counts.iter().find(|count| count["pattern"] == pattern).unwrap();
        let of = |severity: &str| {
            let found =
                findings.iter().filter(|found| found["pattern"] == pattern && found["severity"] == severity);
            found.count() as u64
        };
        let has = |run: &&Value| {
            run["findings"].as_array().unwrap().iter().any(|found| found["pattern"] == pattern)
        };
        let runs = report["runs"].as_array().unwrap().iter().filter(has).count();
        // Walking between two halls is also a stay at both of them.
        assert_eq!((&count["runs"], runs), (&most.into(), most), "{pattern}");
        assert_eq!(
            [&count["hints"], &count["warnings"], &count["stops"]].map(Value::as_u64),
            ["hint", "warn", "hard"].map(|severity| Some(of(severity))),
            "{count}"
        );
    }
    let all = |key: &str| counts.iter().map(|count| count[key].as_u64().unwrap()).sum::<u64>();
    assert_eq!(all("hints") + all("warnings") + all("stops"), findings.len() as u64);
}

#[test]
fn the_figures_of_games_are_shown_after_the_runs_and_those_of_coding_agents_only_in_detail() {
    let folder = folder();
    games(folder.path());
    let shown = analyze(folder.path(), &["games.jsonl", "--set", "stagnation.patience=fixed"]).out;
    for part in [
        "  length         45 turns per run on average",
        "  last scores    median 5, middle half 3–20, all 3–20 (3 runs)",
        "  objectives     2 completed, 2 of them in 3 runs that got stuck, 1 after a stop",
        "  proposals      ",
        "; mean score 0.82 → ",
        "  findings       ",
    ] {
        assert!(shown.contains(part), "{part} in\n{shown}");
    }
    let coding: String = ["a", "b"]
        .into_iter()
        .flat_map(|run| {
            (1..=9).map(move |turn| {
                format!("{}\n", json!({"run": run, "turn": turn, "action": {"name": "bash", "args": {"command": "cargo test"}},
                    "outcome": {"text": "1 failed", "error": true}}))
            })
        })
        .collect();
    fs::write(folder.path().join("coding.jsonl"), coding).unwrap();
    let shown = analyze(folder.path(), &["coding.jsonl"]).out;
    for word in ["length", "last scores", "objectives", "proposals", "findings  "] {
        assert!(!shown.contains(word), "{word} in\n{shown}");
    }
    let detailed = analyze(folder.path(), &["coding.jsonl", "-v"]).out;
    assert!(detailed.contains("  length         9 turns per run on average"), "{detailed}");
    let head = detailed.lines().find(|line| line.trim_start().starts_with("finding ")).unwrap();
    assert_eq!(
        head.split_whitespace().collect::<Vec<_>>(),
        ["finding", "detector", "runs", "hints", "warnings", "hard"]
    );
    let report = report_of(folder.path(), &["coding.jsonl"]);
    assert!(report["totals"]["scores"].is_null() && report["totals"]["proposals"].is_null());
}

#[test]
fn tables_and_summaries_have_the_sums() {
    let folder = folder();
    let report = games(folder.path());
    let set = ["--set", "stagnation.patience=fixed"];
    let csv = analyze(folder.path(), &[&["games.jsonl", "--csv", "-"][..], &set].concat()).out;
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|cell| *cell == name).unwrap();
    for key in ["penalized_proposals", "rejected_proposals", "llm_calls_saved"] {
        for (row, run) in rows[1..].iter().zip(report["runs"].as_array().unwrap()) {
            // Reasons with commas are quoted; these columns are counted from the end.
            let from_end = rows[0].len() - column(key);
            assert_eq!(row[row.len() - from_end], run[key].to_string(), "{key}");
        }
    }
    let markdown = analyze(folder.path(), &[&["games.jsonl", "--markdown", "-"][..], &set].concat()).out;
    for part in [
        "| steps per run, mean | 45.0 |",
        "| last scores: lower quartile, median, upper quartile | 3, 5, 20 |",
        "| objectives completed | 2 |",
        "| of these in runs that got stuck | 2 |",
        &format!("| proposals rejected | {} |", report["totals"]["rejected_proposals"]),
    ] {
        assert!(markdown.contains(part), "{part} in\n{markdown}");
    }
}

#[test]
fn every_check_and_all_calls_of_a_zorkgpt_log_are_shown_in_every_output_with_any_profile() {
    let folder = folder();
    let score = |turn| match turn {
        0..20 => 0,
        20..101 => 10,
        101..181 => 35,
        _ => 44,
    };
    let log: String = (1..=273)
        .map(|turn| {
            crate::seeds::zorkgpt_turn(
                turn,
                &format!("examine thing {turn}"),
                score(turn),
                turn,
                r#""critic_score":0.4"#,
            )
        })
        .collect();
    fs::write(folder.path().join("episode_log.jsonl"), log).unwrap();
    let fixed = ["episode_log.jsonl", "--set", "stagnation.patience=fixed"];
    let report = report_of(folder.path(), &fixed);
    assert_eq!(report["totals"]["llm_calls_saved"], 852, "four calls per step, also with the profile auto");
    let one = [&fixed[..], &["--set", "report.calls_per_step=1"]].concat();
    assert_eq!(
        report_of(folder.path(), &one)["totals"]["llm_calls_saved"],
        213,
        "a setting is used as it is"
    );
    let shown = analyze(folder.path(), &fixed).out;
    for part in [
        "  checks         14 past the limit: turns 60–100, 150–180, 230–270 (every 10)",
        "  saves          213 of 273 steps (78 %) after turn 60, 852 model calls",
        "saves 213 steps (78 %), 852 model calls",
    ] {
        assert!(shown.contains(part), "{part} in\n{shown}");
    }
    let markdown = analyze(folder.path(), &[&fixed[..], &["--markdown", "-"]].concat()).out;
    assert!(markdown.contains("| model calls saved | 852 |"), "{markdown}");
    let csv = analyze(folder.path(), &[&fixed[..], &["--csv", "-"]].concat()).out;
    assert!(csv.lines().nth(1).unwrap().contains(",852,"), "{csv}");
    analyze(folder.path(), &[&fixed[..], &["--html", "report.html", "-q"]].concat());
    let page = fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.contains("<dt>Model calls wasted</dt><dd><strong>852</strong>"));
    let run = report["runs"][0]["run"].as_str().unwrap();
    let mut browser =
        TestBrowser::open(&folder.path().join("report.html"), &format!("#run={run}"), folder.path());
    let story = browser.eval("document.querySelector('.story').innerText");
    let story = story.as_str().unwrap();
    assert!(story.contains("14 past the limit: turns 60–100, 150–180, 230–270 (every 10)"), "{story}");
    assert!(story.contains("852 model calls"), "{story}");
}

#[test]
fn the_page_draws_scores_and_proposals() {
    let folder = folder();
    games(folder.path());
    analyze(
        folder.path(),
        &["games.jsonl", "--set", "stagnation.patience=fixed", "--html", "report.html", "-q"],
    );
    let mut browser = TestBrowser::open(&folder.path().join("report.html"), "", folder.path());
    let row = |browser: &mut TestBrowser, pattern: &str| {
        let script = format!(
            "[...document.querySelectorAll('#found tbody tr')].find((row) => row.cells[0].innerText.startsWith('{pattern} ')).cells[1].innerText"
        );
        browser.eval(&script)
    };
    assert_eq!((row(&mut browser, "oscillation"), row(&mut browser, "camping")), ("1".into(), "2".into()));
    let heights = "[...document.querySelectorAll('section[aria-labelledby=scores-h] rect')].map((bar) => bar.getBBox().height > 0)";
    let heights = browser.eval(heights);
    let bars: Vec<bool> = heights.as_array().unwrap().iter().map(|bar| bar.as_bool().unwrap()).collect();
    assert_eq!(bars.iter().filter(|bar| **bar).count(), 3, "three scores in three bins: {bars:?}");
    let colours = browser.eval(
        "['base', 'adjusted'].map((name) => getComputedStyle(document.querySelector(`section[aria-labelledby=proposals-h] rect.${name}`)).fill)",
    );
    assert_ne!(colours[0], colours[1]);
    assert!(
        browser
            .eval("document.querySelector('section[aria-labelledby=scores-h] p').innerText")
            .as_str()
            .unwrap()
            .contains("median 5")
    );
}

#[test]
fn the_first_refusal_is_the_one_that_the_table_starts_with() {
    let shown = analyze(&root(), &["examples/dam.jsonl"]).out;
    let would = shown.lines().find(|line| line.starts_with("  would reject")).unwrap();
    let turn: u64 = would.split_whitespace().nth(3).unwrap().trim_end_matches(':').parse().unwrap();
    let rows = shown.lines().skip_while(|line| !line.starts_with("  turn ")).skip(1);
    let first = rows
        .filter(|row| row.split_whitespace().nth(1) == Some("reject"))
        .map(|row| row.split_whitespace().next().unwrap().split('–').next().unwrap().parse::<u64>().unwrap())
        .min();
    assert_eq!(first, Some(turn), "{shown}");
}

/// "No progress for 80 turns" while every text says 40: the reason names the limit and why it moved.
#[test]
fn a_limit_that_moved_is_named_with_its_reason() {
    let folder = folder();
    let mut log = String::new();
    for turn in 1..=140_u64 {
        let room = if turn <= 25 { turn } else { 24 + turn % 2 };
        let outcome = format!(
            "Room {room}\nThis is the hall of the {room} lamps, long and cold. Water drips from the roof."
        );
        let step = json!({"run": "e", "turn": turn, "action": format!("go {room}"), "outcome": outcome,
            "place": {"id": room, "name": format!("Room {room}")}, "score": 5});
        writeln!(log, "{step}").unwrap();
    }
    fs::write(folder.path().join("log.jsonl"), log).unwrap();
    let run = report_of(folder.path(), &["log.jsonl"])["runs"][0].take();
    let stop =
        run["interventions"].as_array().unwrap().iter().find(|act| act["intervention"] == "stop").unwrap();
    let reason = stop["reason"].as_str().unwrap();
    assert!(
        reason.starts_with("no progress for ") && reason.ends_with(", raised from 40 while it explored)"),
        "{reason}"
    );
    assert!(stop["turn"].as_u64() > Some(40), "{stop}");
    let fixed =
        report_of(folder.path(), &["log.jsonl", "--set", "stagnation.patience=fixed"])["runs"][0].take();
    let stop =
        fixed["interventions"].as_array().unwrap().iter().find(|act| act["intervention"] == "stop").unwrap();
    assert_eq!(stop["reason"], "no progress for 40 turns");
}
