//! One run, step by step: a guard, and everything that a report tells of what the guard said.

use std::collections::HashSet;

use foldhash::fast::{FixedState, RandomState};
use loopbreak::text::clip::clip;
use loopbreak::{
    Act, Config, Event, Finding, Guard, Intervention, Ruling, RunSummary, Severity, Snapshot, SnapshotError,
    Step, Verdict,
};
use std::hash::BuildHasher as _;

use crate::effect::{Effects, Followed};
use crate::json::{
    Ending, FirstStop, FirstWarning, InterventionReport, MOST_LISTED, RulingGroup, RunReport, ScoreReport,
};
use crate::savings::{Done, Ledger, Told};
use crate::stuck::Stuck;
use crate::timeline::Timeline;

/// How many proposals of a kind are kept one by one. All are counted; a run may have as many as it has turns.
const EACH: usize = 1000;

/// Analyses one run. The replay goes on after a hard finding, as if nobody had acted.
#[derive(Debug)]
pub struct RunAnalysis {
    guard: Guard,
    record: RunRecord,
}

/// What was seen of a run so far, without its guard, which takes up far more room: all that a report needs. A run that
/// is put away goes on with [`RunRecord::resume`].
#[derive(Debug)]
pub struct RunRecord {
    summary: RunSummary,
    run: String,
    ledger: Ledger,
    stuck: Stuck,
    timeline: Timeline,
    followed: Followed,
    interventions: Vec<InterventionReport>,
    unlisted_interventions: u64,
    warnings_given: u64,
    /// The worst that was found and acted on.
    worst: Option<Severity>,
    rulings: Vec<RulingGroup>,
    score: Option<ScoreReport>,
    completed: HashSet<u64, RandomState>,
    first_warning: Option<FirstWarning>,
    first_stop: Option<(FirstStop, u64)>,
    ending: Option<Ending>,
    refused: u64,
    renumbered: u64,
    unknown_keys: u64,
    times: Option<(i64, i64)>,
    agents: Names,
    models: Names,
}

/// A few names, each once, in the order in which they came.
#[derive(Debug, Default)]
struct Names(Vec<String>);

impl Names {
    /// How many are kept, and how much of each.
    const MOST: usize = 16;
    const BYTES: usize = 100;

    fn add(&mut self, name: Option<&str>) {
        let Some(name) = name.map(|name| clip(name.trim(), Self::BYTES)).filter(|name| !name.is_empty())
        else {
            return;
        };
        if self.0.len() < Self::MOST && !self.0.iter().any(|known| known == name) {
            self.0.push(name.to_owned());
        }
    }
}

impl RunAnalysis {
    /// A run of this name that has not begun yet.
    pub fn new(config: &Config, run: impl Into<String>) -> Self {
        let run = run.into();
        RunAnalysis {
            guard: Guard::new(config.clone()).for_run(&run),
            record: RunRecord {
                summary: RunSummary::new(config, &run),
                run,
                ledger: Ledger::default(),
                stuck: Stuck::new(config),
                timeline: Timeline::default(),
                followed: Followed::default(),
                interventions: Vec::new(),
                unlisted_interventions: 0,
                warnings_given: 0,
                worst: None,
                rulings: Vec::new(),
                score: None,
                completed: HashSet::default(),
                first_warning: None,
                first_stop: None,
                ending: None,
                refused: 0,
                renumbered: 0,
                unknown_keys: 0,
                times: None,
                agents: Names::default(),
                models: Names::default(),
            },
        }
    }

    /// The name of the run.
    pub fn run(&self) -> &str {
        &self.record.run
    }

    /// What a series is told of the run.
    pub fn summary(&self) -> &RunSummary {
        &self.record.summary
    }

    /// Takes in the next step, and gives what the guard says of it.
    pub fn observe(&mut self, step: &Step<'_>) -> Verdict {
        self.observe_at(step, None)
    }

    /// The same for a step that was read from this line of a log.
    pub fn observe_at(&mut self, step: &Step<'_>, line: Option<u64>) -> Verdict {
        let verdict = self.guard.observe(step);
        self.record.add(step, &verdict, line);
        verdict
    }

    /// Takes the guard out, to be put away while other runs go on.
    pub fn put_away(self) -> (Snapshot, RunRecord) {
        let mut record = self.record;
        record.timeline.shrink();
        (self.guard.snapshot(), record)
    }

    /// Sums up.
    pub fn finish(self, source: impl Into<String>, format: &'static str) -> RunReport {
        self.record.finish(source, format)
    }
}

impl RunRecord {
    /// The name of the run.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// What a series is told of the run.
    pub fn summary(&self) -> &RunSummary {
        &self.summary
    }

    /// Goes on with a run that was put away.
    pub fn resume(self, config: &Config, snapshot: Snapshot) -> Result<RunAnalysis, SnapshotError> {
        Ok(RunAnalysis { guard: Guard::restore(config.clone(), snapshot)?, record: self })
    }

    fn add(&mut self, step: &Step<'_>, verdict: &Verdict, line: Option<u64>) {
        self.summary.observe(step);
        self.renumbered += u64::from(verdict.renumbered);
        self.unknown_keys += u64::from(step.unknown_keys);
        self.agents.add(step.agent.as_deref());
        self.models.add(step.model.as_deref());
        if let Some(at) = step.at {
            let (first, last) = self.times.unwrap_or((at.0, at.0));
            self.times = Some((first.min(at.0), last.max(at.0)));
        }
        let told = self.told(step, verdict);
        if step.refused {
            self.refused += 1;
        } else {
            self.turn(step, verdict);
        }
        let done = self.found(verdict);
        self.followed.add(step, verdict, line);
        self.ledger.add(&told, done);
        for act in &verdict.acts {
            self.intervened(verdict.turn, act);
        }
        if let Some(ruling) = &verdict.ruling {
            self.ruled(ruling);
        }
    }

    /// What the savings need to know. New objectives are found here and not left to stagnation, which may be off.
    fn told(&mut self, step: &Step<'_>, verdict: &Verdict) -> Told {
        let is_turn = !step.refused;
        let mut achieved = verdict.progress.objective || step.progress == Some(true);
        for done in step.objectives.iter().filter(|_| is_turn).flat_map(|objectives| &objectives.completed) {
            achieved |= self.completed.insert(FixedState::default().hash_one(done.objective.trim()));
        }
        let score = step.score.filter(|score| score.is_finite());
        Told {
            is_turn,
            score,
            measured: score.is_some() || step.objectives.is_some() || step.progress.is_some(),
            achieved,
            usage: step.usage,
        }
    }

    fn turn(&mut self, step: &Step<'_>, verdict: &Verdict) {
        let score = step.score.filter(|score| score.is_finite());
        self.timeline.add(verdict.turn, score, step.place.as_ref());
        if let Some(score) = score {
            let known = self.score.get_or_insert(ScoreReport { first: score, last: score, max: score });
            known.last = score;
            known.max = known.max.max(score);
        }
        for event in &verdict.events {
            if let Event::ProgressCheck(check) = event {
                self.stuck.add(check, self.score.map(|score| score.last));
            }
        }
        self.stuck.pass(verdict.turn);
    }

    /// Takes in findings, and says what those that are acted on come to.
    fn found(&mut self, verdict: &Verdict) -> Done {
        let mut done = Done::default();
        for finding in &verdict.findings {
            let Finding { turn, detector, pattern, severity, intervention, since, .. } = *finding;
            if finding.acted {
                self.worst = self.worst.max(Some(severity));
            }
            if finding.acted && severity >= Severity::Warn && self.first_warning.is_none() {
                self.first_warning = Some(FirstWarning { turn, detector, pattern });
            }
            if finding.acted && severity == Severity::Hard {
                done.stops = true;
                if self.first_stop.is_none() {
                    self.first_stop = Some((FirstStop { turn, detector, pattern, intervention }, since));
                }
            }
            if let Some(ending) = Ending::of(finding) {
                done.ends = true;
                self.ending.get_or_insert(ending);
            }
        }
        done
    }

    fn intervened(&mut self, turn: u64, act: &Act) {
        self.warnings_given += u64::from(act.acted && act.intervention == Intervention::Warn);
        if self.interventions.len() >= MOST_LISTED {
            self.unlisted_interventions += 1;
            return;
        }
        self.interventions.push(InterventionReport {
            turn,
            intervention: act.intervention,
            detector: act.detector,
            pattern: act.pattern,
            loop_id: act.loop_id,
            task: act.task.clone(),
            reason: act.reason.clone(),
            acted: act.acted,
        });
    }

    /// Counts a proposal under the adjustment that weighed most.
    fn ruled(&mut self, ruling: &Ruling) {
        let Some(intervention) = ruling.intervention else { return };
        let lowered = ruling.adjustments.iter().filter(|adjustment| adjustment.acted);
        let Some(most) = lowered.min_by(|a, b| a.amount.total_cmp(&b.amount)) else { return };
        let same =
            |group: &&mut RulingGroup| group.intervention == intervention && group.detector == most.detector;
        if let Some(group) = self.rulings.iter_mut().find(same) {
            group.count += 1;
            group.last = ruling.turn;
            if group.each.len() < EACH {
                group.each.push((ruling.turn, most.reason.clone()));
            }
        } else {
            self.rulings.push(RulingGroup {
                intervention,
                detector: most.detector,
                count: 1,
                first: ruling.turn,
                last: ruling.turn,
                each: vec![(ruling.turn, most.reason.clone())],
            });
        }
    }

    /// Sums up.
    pub fn finish(self, source: impl Into<String>, format: &'static str) -> RunReport {
        let (after_stop, after_ending) = (self.ledger.after_stop(), self.ledger.after_ending());
        let spent = self.ledger.spent();
        let (stuck, checkpoints) = self.stuck.finish();
        let (findings, unlisted_findings) = self.followed.finish();
        let ruled = |intervention: Intervention| {
            self.rulings
                .iter()
                .filter(|group| group.intervention == intervention)
                .map(|group| group.count)
                .sum()
        };
        RunReport {
            run: self.run,
            source: source.into(),
            format,
            agents: self.agents.0,
            models: self.models.0,
            steps: self.ledger.steps(),
            verdict: self.worst.into(),
            first_warning: self.first_warning,
            stuck_since: self.first_stop.as_ref().map(|(_, since)| *since),
            first_stop: self.first_stop.map(|(stop, _)| stop),
            steps_after_stop: after_stop.steps,
            progress_after_stop: after_stop.destroyed,
            checkpoints,
            effects: Effects::of(&findings),
            findings,
            unlisted_findings,
            warnings_given: self.warnings_given,
            interventions: self.interventions,
            unlisted_interventions: self.unlisted_interventions,
            ending: self.ending,
            steps_after_ending: after_ending.steps,
            progress_after_ending: after_ending.destroyed,
            tokens_after_ending: after_ending.cost.tokens,
            cost_after_ending_usd: after_ending.cost.cost_usd,
            stuck,
            score: self.score,
            refused: self.refused,
            penalized_proposals: ruled(Intervention::Penalize),
            rejected_proposals: ruled(Intervention::Reject),
            tokens: spent.tokens,
            cost_usd: spent.cost_usd,
            tokens_after_stop: after_stop.cost.tokens,
            cost_after_stop_usd: after_stop.cost.cost_usd,
            started: self.times.map(|(first, _)| first),
            ended: self.times.map(|(_, last)| last),
            skipped_lines: None,
            renumbered_turns: self.renumbered,
            unknown_keys: self.unknown_keys,
            rulings: self.rulings,
            timeline: self.timeline,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::VerdictName;
    use loopbreak::{Mode, Settings};

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
        assert_eq!(analyse(Settings::default(), many).models.len(), Names::MOST);
    }

    #[test]
    fn a_run_without_end_has_a_report_with_one() {
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
    fn a_score_that_stands_still_is_warned_of_then_stopped_and_every_check_is_listed() {
        let lines = scores(1..=20, 0).chain(scores(21..=95, 10));
        let run = analyse(Settings::default(), lines);
        assert_eq!((run.steps, run.verdict), (95, VerdictName::Stop));
        // The score changed at turn 21: 40 turns are over at 61, the next check is at 70.
        let stop = run.first_stop.unwrap();
        assert_eq!(
            (stop.turn, stop.pattern, stop.intervention),
            (70, "stuck_no_progress", Some(Intervention::Stop))
        );
        assert_eq!(run.stuck_since, Some(21));
        assert_eq!(run.checkpoints, [70, 80, 90]);
        assert_eq!((run.steps_after_stop, run.progress_after_stop), (25, Some(false)));
        let stuck: Vec<_> = run.stuck.iter().map(|period| (period.from, period.to, period.turns)).collect();
        // The first period, turns 1 to 20, is long enough to be warned of.
        assert_eq!(stuck, [(1, 20, 20), (22, 95, 74)]);
        assert_eq!(run.stuck[1].score, Some(10.0));
        assert_eq!(run.first_warning.unwrap().turn, 20);
    }

    #[test]
    fn a_check_that_a_log_leaves_out_is_made_at_the_next_turn() {
        let lines = [1, 39, 43, 44, 58, 62].map(|turn| format!(r#"{{"turn":{turn},"score":0}}"#));
        assert_eq!(analyse(Settings::default(), lines).checkpoints, [43, 58, 62]);
    }

    #[test]
    fn progress_after_the_stop_is_told() {
        let lines = scores(1..=50, 0).chain(scores(51..=52, 5));
        assert_eq!(analyse(Settings::default(), lines).progress_after_stop, Some(true));
        let objective = r#"{"turn":60,"score":0,"objectives":{"completed":["x"]}}"#.to_owned();
        let lines = scores(1..=50, 0).chain([objective]);
        assert_eq!(analyse(Settings::default(), lines).progress_after_stop, Some(true));
    }

    #[test]
    fn a_run_without_any_measure_of_progress_has_none_to_destroy() {
        let lines = (0..5).map(|_| r#"{"action":"look","outcome":"dark"}"#.to_owned());
        let run = analyse(Settings::default(), lines);
        assert_eq!((run.progress_after_stop, run.score, run.tokens), (None, None, None));
        assert!(run.checkpoints.is_empty() && run.stuck.is_empty());
    }

    #[test]
    fn who_only_observes_lists_findings_and_decides_nothing() {
        let settings = Settings { mode: Mode::Observe, ..Settings::default() };
        let run = analyse(settings, scores(1..=60, 0));
        assert!(run.findings.iter().any(|finding| finding.severity == Severity::Hard && !finding.acted));
        assert_eq!(run.verdict, VerdictName::Clear);
        assert!(run.first_stop.is_none() && run.first_warning.is_none() && run.ending.is_none());
        assert_eq!((run.steps_after_stop, run.steps_after_ending), (0, 0));
        assert_eq!(run.checkpoints, [40, 50, 60]);
    }

    #[test]
    fn stagnation_that_is_off_checks_nothing() {
        let mut settings = Settings::default();
        settings.stagnation.mode = Mode::Off;
        let run = analyse(settings, scores(1..=60, 0));
        assert!(run.checkpoints.is_empty() && run.stuck.is_empty() && run.findings.is_empty());
    }

    #[test]
    fn a_run_that_is_put_away_after_every_step_comes_to_the_same() {
        let lines: Vec<String> = scores(1..=20, 0).chain(scores(21..=95, 10)).collect();
        let whole = analyse(Settings::default(), lines.clone());
        let config = Config::default();
        let mut analysis = RunAnalysis::new(&config, "test");
        for line in lines {
            analysis.observe(&Step::from_json(&line).unwrap());
            let (snapshot, record) = analysis.put_away();
            let snapshot = serde_json::to_vec(&snapshot).unwrap();
            analysis = record.resume(&config, serde_json::from_slice(&snapshot).unwrap()).unwrap();
        }
        let report = analysis.finish("test.jsonl", "steps");
        assert_eq!(serde_json::to_string(&report).unwrap(), serde_json::to_string(&whole).unwrap());
    }

    #[test]
    fn refused_records_are_counted_apart() {
        let lines = [r#"{"action":"x"}"#, r#"{"action":"y","refused":true}"#, r#"{"action":"z","mood":1}"#];
        let run = analyse(Settings::default(), lines.map(str::to_owned));
        assert_eq!((run.steps, run.refused, run.unknown_keys), (2, 1, 1));
    }
}
