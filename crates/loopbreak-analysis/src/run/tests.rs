//! Tests of runs and their reports.

use loopbreak::{Config, Intervention, Mode, Pattern, Settings, Severity, Step};

use super::name_list::NameList;
use super::{RunAnalysis, RunRecord};
use crate::{CorruptRecord, MOST_LISTED, RunReport, TotalsBuilder, VerdictName};

fn analyse(settings: Settings, lines: impl IntoIterator<Item = String>) -> RunReport {
    let config = Config::new(settings).unwrap();
    let mut analysis = RunAnalysis::new(&config, "test");
    for line in lines {
        analysis.observe(&Step::from_json(&line).unwrap());
    }
    analysis.finish("test.jsonl", "steps")
}

fn scores(range: std::ops::RangeInclusive<u64>, score: u64) -> impl Iterator<Item = String> {
    range.map(move |turn| format!(r#"{{"turn":{turn},"score":{score}}}"#))
}

#[test]
fn agents_and_models_are_named_once_each() {
    let lines = [
        r#"{"agent":"main","model":"m-1","say":"a"}"#,
        r#"{"agent":"helper","model":" m-2 ","say":"b"}"#,
        r#"{"agent":"main","model":"m-1","say":"c"}"#,
        r#"{"agent":"","say":"d"}"#,
    ];
    let run = analyse(Settings::default(), lines.map(str::to_owned));
    assert_eq!(
        (run.agents, run.models),
        (vec!["main".into(), "helper".into()], vec!["m-1".into(), "m-2".into()])
    );
    let many = (0..40).map(|number| format!(r#"{{"model":"m-{number}","say":"a"}}"#));
    assert_eq!(analyse(Settings::default(), many).models.len(), NameList::MOST);
}

#[test]
fn an_endless_run_has_a_bounded_report() {
    let line = |turn: u64| {
        let room = (turn * turn * 7 + turn / 3) % 23;
        let way = ["north", "south", "take lamp"][(turn % 3) as usize];
        format!(r#"{{"turn":{turn},"action":"{way}","place":"Room {room}","critic":{{"score":0.9}}}}"#)
    };
    let run = analyse(Settings::default(), (1..=20_000).map(line));
    assert_eq!(run.findings.len(), MOST_LISTED);
    assert!(run.unlisted_findings > 0 && run.interventions.len() <= MOST_LISTED);
    let listed = run.interventions.iter().filter(|act| act.intervention == Intervention::Warn).count();
    assert!(run.warnings_given >= listed as u64);
    assert_eq!(run.steps, 20_000);
}

#[test]
fn a_constant_score_is_warned_about_then_stopped_and_every_check_is_listed() {
    let lines = scores(1..=20, 0).chain(scores(21..=95, 10));
    let run = analyse(Settings::default(), lines);
    assert_eq!((run.steps, run.verdict), (95, VerdictName::Stop));
    // The score changed at turn 21: 40 turns have passed at 61, and the next check is at 70.
    let stop = run.first_stop.unwrap();
    assert_eq!(
        (stop.turn, stop.pattern, stop.intervention),
        (70, Pattern::StuckNoProgress, Some(Intervention::Stop))
    );
    assert_eq!(run.stuck_since, Some(21));
    assert_eq!(run.checkpoints, [70, 80, 90]);
    assert_eq!((run.steps_after_stop, run.progress_after_stop), (25, Some(false)));
    let stuck: Vec<_> = run.stuck.iter().map(|period| (period.from, period.to, period.turns)).collect();
    // The first period, turns 1 to 20, is long enough for a warning.
    assert_eq!(stuck, [(1, 20, 20), (22, 95, 74)]);
    assert_eq!(run.stuck[1].score, Some(10.0));
    assert_eq!(run.first_warning.unwrap().turn, 20);
}

#[test]
fn a_check_due_at_a_missing_turn_is_made_at_the_next_turn() {
    let lines = [1, 39, 43, 44, 58, 62].map(|turn| format!(r#"{{"turn":{turn},"score":0}}"#));
    assert_eq!(analyse(Settings::default(), lines).checkpoints, [43, 58, 62]);
}

#[test]
fn progress_after_the_stop_is_reported() {
    let lines = scores(1..=50, 0).chain(scores(51..=52, 5));
    assert_eq!(analyse(Settings::default(), lines).progress_after_stop, Some(true));
    let objective = r#"{"turn":60,"score":0,"objectives":{"completed":["x"]}}"#.to_owned();
    let lines = scores(1..=50, 0).chain([objective]);
    assert_eq!(analyse(Settings::default(), lines).progress_after_stop, Some(true));
}

#[test]
fn a_run_without_a_progress_signal_reports_no_lost_progress() {
    let lines = (0..5).map(|_| r#"{"action":"look","outcome":"dark"}"#.to_owned());
    let run = analyse(Settings::default(), lines);
    assert_eq!((run.progress_after_stop, run.score, run.tokens), (None, None, None));
    assert!(run.checkpoints.is_empty() && run.stuck.is_empty());
}

#[test]
fn mode_observe_lists_findings_and_makes_no_decisions() {
    let settings = Settings { mode: Mode::Observe, ..Settings::default() };
    let run = analyse(settings, scores(1..=60, 0));
    assert!(run.findings.iter().any(|finding| finding.severity == Severity::Hard && !finding.enforced));
    assert_eq!(run.verdict, VerdictName::Clear);
    assert!(run.first_stop.is_none() && run.first_warning.is_none() && run.ending.is_none());
    assert_eq!((run.steps_after_stop, run.steps_after_ending), (0, 0));
    assert_eq!(run.checkpoints, [40, 50, 60]);
}

#[test]
fn a_run_that_is_held_out_is_judged_like_any_other() {
    let mut settings = Settings::default();
    let other = analyse(settings.clone(), scores(1..=60, 0));
    settings.policy.holdout = 1.0;
    let held_out = analyse(settings.clone(), scores(1..=60, 0));
    assert_eq!((held_out.verdict, &held_out.first_stop), (VerdictName::Stop, &other.first_stop));
    assert_eq!(held_out.steps_after_ending, other.steps_after_ending);
    // A record that was stored for a while continues in the same way.
    let config = Config::new(settings).unwrap();
    let mut analysis = RunAnalysis::new(&config, "r");
    for line in scores(1..=60, 0) {
        let (snapshot, record) = analysis.into_parts();
        analysis = record.resume(&config, snapshot).unwrap();
        analysis.observe(&Step::from_json(&line).unwrap());
    }
    assert_eq!(analysis.finish("", "").first_stop, other.first_stop);
}

#[test]
fn stagnation_that_is_off_checks_nothing() {
    let mut settings = Settings::default();
    settings.stagnation.mode = Mode::Off;
    let run = analyse(settings, scores(1..=60, 0));
    assert!(run.checkpoints.is_empty() && run.stuck.is_empty() && run.findings.is_empty());
}

/// Encodes and decodes a record.
fn again(config: &Config, record: &RunRecord) -> RunRecord {
    RunRecord::from_bytes(config, &record.to_bytes().unwrap()).unwrap()
}

/// Returns a run with every facet that a step can have.
fn everything() -> Vec<String> {
    let line = |turn: u64| {
        let (room, way) = (turn % 3, ["north", "south", "look"][(turn % 3) as usize]);
        let (score, refused) = (turn / 60, turn.is_multiple_of(11));
        let agent = if turn.is_multiple_of(7) { "other" } else { "main" };
        format!(
            r#"{{"turn":{turn},"at":{at},"agent":"{agent}","model":"m-{room}","action":"{way}","outcome":{{"text":"same","error":true}},"place":"Room {room}","score":{score}.1,"critic":{{"score":0.9}},"refused":{refused},"objectives":{{"completed":["{score}"]}},"task":{{"id":"T1","status":"blocked","blockers":["no network"]}},"usage":{{"input_tokens":{turn},"cost_usd":0.013}},"mood":1}}"#,
            at = 1_762_248_924_000 + turn,
        )
    };
    let prompt = r#"{"turn":1,"user":"Open the dam, and do not come back without the wrench."}"#;
    std::iter::once(prompt.to_owned()).chain((1..=150).map(line)).collect()
}

#[test]
fn a_run_stored_after_every_step_has_the_same_report() {
    let lines = everything();
    let whole = analyse(Settings::default(), lines.clone());
    let config = Config::default();
    let mut analysis = RunAnalysis::new(&config, "test");
    for line in lines {
        analysis.observe(&Step::from_json(&line).unwrap());
        let (snapshot, record) = analysis.into_parts();
        let snapshot = snapshot.to_json().unwrap();
        let record = again(&config, &record);
        analysis = record
            .resume(&config, loopbreak::Snapshot::from_json(snapshot.get().as_bytes()).unwrap())
            .unwrap();
    }
    assert!(analysis.summary().prompt().is_some());
    let report = analysis.finish("test.jsonl", "steps");
    assert_eq!(serde_json::to_string(&report).unwrap(), serde_json::to_string(&whole).unwrap());
    // Fields that the JSON does not show.
    assert_eq!(report.timeline.buckets(), whole.timeline.buckets());
    assert_eq!(report.timeline.places(), whole.timeline.places());
    assert_eq!((report.timeline.range(), report.stuck_since), (whole.timeline.range(), whole.stuck_since));
    assert!(!whole.rulings.is_empty() && !whole.findings.is_empty() && !whole.interventions.is_empty());
    assert_eq!(report.rulings, whole.rulings);
    let lines = |run: &RunReport| run.findings.iter().map(|finding| finding.line).collect::<Vec<_>>();
    assert_eq!(lines(&report), lines(&whole));
}

#[test]
fn a_recording_stored_after_every_step_is_the_same() {
    let config = Config::default();
    let recorded = |away: bool| {
        let mut analysis = RunAnalysis::recorded(&config, "test");
        for line in everything() {
            analysis.observe(&Step::from_json(&line).unwrap());
            if away {
                let (snapshot, record) = analysis.into_parts();
                analysis = again(&config, &record).resume(&config, snapshot).unwrap();
            }
        }
        let mut record = analysis.into_record();
        let recording = record.take_recording().unwrap();
        let run = record.finish("test.jsonl", "steps");
        let recording = recording.finish(&run.findings);
        assert!(!recording.steps.is_empty() && !recording.bands.is_empty() && !recording.flags.is_empty());
        assert!(!recording.marks.is_empty() && recording.agents.len() == 2);
        // Maps have no order, so the timeline is compared by its parts.
        (
            format!("{:?}", (&recording.steps, &recording.bands, &recording.flags, &recording.marks)),
            recording.tools,
        )
    };
    let ((kept, kept_tools), (away, away_tools)) = (recorded(false), recorded(true));
    assert_eq!(kept, away);
    assert_eq!((kept_tools.buckets(), kept_tools.places()), (away_tools.buckets(), away_tools.places()));
}

#[test]
fn an_infinite_cost_is_stored_unchanged() {
    let config = Config::default();
    let mut analysis = RunAnalysis::new(&config, "test");
    for _ in 0..2 {
        analysis.observe(&Step::from_json(r#"{"say":"a","usage":{"cost_usd":1.7e308}}"#).unwrap());
    }
    let record = again(&config, &analysis.into_record());
    assert_eq!(record.finish("test.jsonl", "steps").cost_usd, Some(f64::INFINITY));
}

#[test]
fn the_record_of_a_tiny_run_is_tiny() {
    let config = Config::default();
    let mut analysis = RunAnalysis::new(&config, "r1000000");
    for _ in 0..2 {
        analysis.observe(&Step::from_json(r#"{"action":"look","outcome":"dark 4711"}"#).unwrap());
    }
    let bytes = analysis.into_record().to_bytes().unwrap();
    // The loop that the second step may begin is 18 bytes of it, and costs that are not known are 9.
    assert!(bytes.len() <= 154, "{} bytes", bytes.len());
}

#[test]
fn damaged_records_are_refused() {
    let config = Config::default();
    let mut analysis = RunAnalysis::new(&config, "test");
    analysis.observe(&Step::from_json(r#"{"action":"look","outcome":"dark"}"#).unwrap());
    let bytes = analysis.into_record().to_bytes().unwrap();
    assert!(RunRecord::from_bytes_without_recording(&config, &bytes).is_ok());
    let refused = |bytes: &[u8]| RunRecord::from_bytes(&config, bytes).err() == Some(CorruptRecord);
    assert!((0..bytes.len()).all(|length| refused(&bytes[..length])));
    assert!(refused(&[&bytes[..], &[0]].concat()));
}

#[test]
fn refused_records_are_counted_separately() {
    let lines = [r#"{"action":"x"}"#, r#"{"action":"y","refused":true}"#, r#"{"action":"z","mood":1}"#];
    let run = analyse(Settings::default(), lines.map(str::to_owned));
    assert_eq!((run.steps, run.refused, run.unknown_keys), (2, 1, 1));
}

#[test]
fn the_cost_of_a_run_and_of_its_loops_comes_from_the_log_or_from_the_prices() {
    let step = |number: u64, usage: &str| {
        format!(
            r#"{{"turn":{number},"model":"claude-opus-4-6","action":{{"name":"bash","args":{{"command":"make"}}}},"outcome":{{"text":"error 2","error":true}},"usage":{usage}}}"#
        )
    };
    let priced = analyse(Settings::default(), (1..=12).map(|at| step(at, r#"{"input_tokens":1000000}"#)));
    let spending = &priced.spending;
    assert_eq!((spending.spent_usd, spending.estimated_usd, priced.cost_usd), (Some(60.0), Some(60.0), None));
    assert!(spending.in_loops_usd.unwrap() > 30.0 && spending.in_loops_usd.unwrap() <= 60.0, "{spending:?}");
    let of_loops: f64 = priced.loops.iter().filter_map(|found| found.cost_usd).sum();
    assert_eq!(Some(of_loops), spending.in_loops_usd, "each step counts once");
    let stated =
        analyse(Settings::default(), (1..=12).map(|at| step(at, r#"{"input_tokens":1000000,"cost_usd":1}"#)));
    assert_eq!((stated.spending.spent_usd, stated.spending.estimated_usd), (Some(12.0), None));
    let unknown = (1..=12).map(|at| step(at, r#"{"input_tokens":10}"#).replace("opus-4-6", "opus-99"));
    let unknown = analyse(Settings::default(), unknown).spending;
    assert_eq!((unknown.spent_usd, unknown.in_loops_usd, unknown.unpriced_tokens), (None, None, 120));
    assert_eq!(unknown.unpriced_models, [("claude-opus-99".to_owned(), 120)]);
}

#[test]
fn the_same_loop_of_several_runs_is_one_group() {
    let lines = || {
        (1..=8).map(|_| r#"{"model":"gpt-4o","action":"make","outcome":{"text":"error 2","error":true},"usage":{"output_tokens":100000}}"#.to_owned())
    };
    let mut totals = TotalsBuilder::default();
    for _ in 0..3 {
        totals.add(&analyse(Settings::default(), lines()));
    }
    let spending = totals.finish(&crate::report::InputStatistics::default()).spending;
    assert_eq!((spending.spent_usd, spending.estimated_usd), (Some(24.0), Some(24.0)));
    assert!(spending.prices.is_some());
    let group = &spending.repeated_loops[0];
    assert_eq!(group.runs, 3);
    assert!(group.cost_usd.unwrap() > 10.0 && group.cost_usd <= spending.in_loops_usd, "{group:?}");
}
