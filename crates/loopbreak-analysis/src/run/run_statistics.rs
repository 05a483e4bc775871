//! Statistics of one run for its report.

use std::collections::HashSet;
use std::hash::BuildHasher as _;

use foldhash::fast::{FixedState, RandomState};
use loopbreak::{Config, Decision, Event, Finding, Intervention, Ruling, Severity, Step, Verdict};
use loopbreak_trace::LogFormat;
use serde::{Deserialize, Serialize};

use super::name_list::NameList;
use crate::named_fields;
use crate::prices::StepCost;
use crate::report::{
    FirstStop, FirstWarning, InterventionReport, LoopCost, MOST_LISTED, RulingGroup, RunAbout, RunEnding,
    RunReport, RunSpending, ScoreReport,
};
use crate::statistics::RunTimeline;
use crate::statistics::StuckPeriods;
use crate::statistics::{EffectCounts, LoopSightings, PatternCounts, ProposalScores, WarningFollower};
use crate::statistics::{
    FinishedLoops, SavingsTracker, StepFacts, StepIntervention, StepSpend, UnpricedModels,
};

/// Maximum number of proposals per kind that are kept with their reasons. All are counted.
const EACH: usize = 1000;

/// The statistics of a run so far.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct RunStatistics {
    ledger: SavingsTracker,
    spend: StepSpend,
    spend_at_ending: Option<StepSpend>,
    unpriced: UnpricedModels,
    project: Option<String>,
    stuck: StuckPeriods,
    timeline: RunTimeline,
    followed: WarningFollower,
    #[serde(with = "named_fields")]
    interventions: Vec<InterventionReport>,
    unlisted_interventions: u64,
    warnings_given: u64,
    /// The worst severity of enforced findings.
    worst: Option<Severity>,
    rulings: Vec<RulingGroup>,
    score: Option<ScoreReport>,
    completed: HashSet<u64, RandomState>,
    /// Number of objectives that were completed after the ending.
    completed_after_ending: u64,
    sightings: LoopSightings,
    patterns: PatternCounts,
    proposals: Option<Box<ProposalScores>>,
    /// The setting; 0 for that of the format.
    calls_per_step: u32,
    first_warning: Option<FirstWarning>,
    first_stop: Option<(FirstStop, u64)>,
    ending: Option<RunEnding>,
    refused: u64,
    renumbered: u64,
    unknown_keys: u64,
    times: Option<(i64, i64)>,
    agents: NameList,
    models: NameList,
}

impl RunStatistics {
    pub(super) fn new(config: &Config) -> Self {
        RunStatistics {
            ledger: SavingsTracker::default(),
            spend: StepSpend::default(),
            spend_at_ending: None,
            unpriced: UnpricedModels::default(),
            project: None,
            stuck: StuckPeriods::new(config),
            timeline: RunTimeline::default(),
            followed: WarningFollower::default(),
            interventions: Vec::new(),
            unlisted_interventions: 0,
            warnings_given: 0,
            worst: None,
            rulings: Vec::new(),
            score: None,
            completed: HashSet::default(),
            completed_after_ending: 0,
            sightings: LoopSightings::default(),
            patterns: PatternCounts::default(),
            proposals: None,
            calls_per_step: config.report.calls_per_step,
            first_warning: None,
            first_stop: None,
            ending: None,
            refused: 0,
            renumbered: 0,
            unknown_keys: 0,
            times: None,
            agents: NameList::default(),
            models: NameList::default(),
        }
    }

    /// Sets the folder of the project, if it is not known yet.
    pub(super) fn set_project(&mut self, project: &str) {
        self.project.get_or_insert_with(|| project.to_owned());
    }

    /// Adds a step, its verdict, its cost, and the line it was read from.
    pub(super) fn add(&mut self, step: &Step<'_>, verdict: &Verdict, cost: &StepCost, line: Option<u64>) {
        self.renumbered += u64::from(verdict.renumbered);
        self.unknown_keys += u64::from(step.unknown_keys);
        self.agents.add(step.agent.as_deref());
        self.models.add(step.model.as_deref());
        if let Some(at) = step.at {
            let (first, last) = self.times.unwrap_or((at.0, at.0));
            self.times = Some((first.min(at.0), last.max(at.0)));
        }
        let facts = self.step_facts(step, verdict);
        if step.refused {
            self.refused += 1;
        } else {
            self.turn(step, verdict);
        }
        let done = self.found(verdict);
        self.followed.add(step, verdict, line);
        self.sightings.add(step, verdict, cost);
        self.ledger.add(&facts, done);
        self.spend.add(cost);
        if done.ends && self.spend_at_ending.is_none() {
            self.spend_at_ending = Some(self.spend);
        }
        if cost.tokens > 0 && cost.stated.is_none() && cost.estimated.is_none() {
            self.unpriced.add(step.model.as_deref().unwrap_or_default(), cost.tokens);
        }
        for act in &verdict.decisions {
            self.intervened(verdict.turn, act);
        }
        if let Some(ruling) = &verdict.ruling {
            self.ruled(ruling);
            if step.critic.as_ref().is_some_and(|critic| critic.score.is_some()) {
                self.proposals.get_or_insert_default().add(ruling);
            }
        }
    }

    /// Returns the facts that the savings need. New objectives are found here because stagnation, which also finds
    /// them, may be off.
    fn step_facts(&mut self, step: &Step<'_>, verdict: &Verdict) -> StepFacts {
        let is_turn = !step.refused;
        let mut achieved = verdict.progress.objective || step.progress == Some(true);
        for done in step.objectives.iter().filter(|_| is_turn).flat_map(|objectives| &objectives.completed) {
            let is_new = self.completed.insert(FixedState::default().hash_one(done.objective.trim()));
            self.completed_after_ending += u64::from(is_new && self.ending.is_some());
            achieved |= is_new;
        }
        let score = step.score.filter(|score| score.is_finite());
        StepFacts {
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

    /// Adds findings. Returns the intervention of the enforced ones.
    fn found(&mut self, verdict: &Verdict) -> StepIntervention {
        let mut done = StepIntervention::default();
        for finding in &verdict.findings {
            let Finding { turn, detector, pattern, severity, intervention, since, .. } = *finding;
            self.patterns.add(finding);
            if finding.enforced {
                self.worst = self.worst.max(Some(severity));
            }
            if finding.enforced && severity >= Severity::Warn && self.first_warning.is_none() {
                self.first_warning = Some(FirstWarning { turn, detector, pattern });
            }
            if finding.enforced && severity == Severity::Hard {
                done.stops = true;
                if self.first_stop.is_none() {
                    self.first_stop = Some((FirstStop { turn, detector, pattern, intervention }, since));
                }
            }
            if let Some(ending) = RunEnding::from_finding(finding) {
                done.ends = true;
                self.ending.get_or_insert(ending);
            }
        }
        done
    }

    fn intervened(&mut self, turn: u64, act: &Decision) {
        self.warnings_given += u64::from(act.enforced && act.intervention == Intervention::Warn);
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
            acted: act.enforced,
        });
    }

    /// Counts a proposal under its largest adjustment.
    fn ruled(&mut self, ruling: &Ruling) {
        let Some(intervention) = ruling.intervention else { return };
        let lowered = ruling.adjustments.iter().filter(|adjustment| adjustment.enforced);
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

    /// Drops what is needed to continue the run and not to report it.
    pub(super) fn forget_unreported(&mut self) {
        self.timeline.shrink();
    }

    /// Returns the number of turns out of order.
    pub(super) fn renumbered_turns(&self) -> u64 {
        self.renumbered
    }

    /// Ends the run and returns its result.
    pub(super) fn finish(mut self, run: String, source: String, format: &'static str) -> RunReport {
        self.timeline.shrink();
        let (after_stop, after_ending) = (self.ledger.after_stop(), self.ledger.after_ending());
        let spent = self.ledger.spent();
        let loops = self.sightings.finish();
        let spending =
            spending(&self.spend, self.spend_at_ending, self.unpriced, &loops, self.ledger.steps());
        let (stuck, checkpoints) = self.stuck.finish();
        let (findings, unlisted_findings) = self.followed.finish();
        let ruled = |intervention: Intervention| {
            self.rulings
                .iter()
                .filter(|group| group.intervention == intervention)
                .map(|group| group.count)
                .sum()
        };
        let calls = match self.calls_per_step {
            0 => format.parse::<LogFormat>().map_or(1, LogFormat::calls_per_step),
            calls => calls,
        };
        RunReport {
            run,
            source,
            format,
            agents: self.agents.all,
            models: self.models.all,
            steps: self.ledger.steps(),
            verdict: self.worst.into(),
            first_warning: self.first_warning,
            stuck_since: self.first_stop.as_ref().map(|(_, since)| *since),
            first_stop: self.first_stop.map(|(stop, _)| stop),
            steps_after_stop: after_stop.steps,
            progress_after_stop: after_stop.destroyed,
            checkpoints,
            effects: EffectCounts::from_findings(&findings),
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
            llm_calls_saved: after_ending.steps.saturating_mul(u64::from(calls)),
            stuck,
            score: self.score,
            objectives_completed: self.completed.len() as u64,
            objectives_after_ending: self.completed_after_ending,
            longest_loop: loops.longest,
            spending: spending.0,
            loops: spending.1,
            about: RunAbout { project: self.project, prompt: None },
            patterns: self.patterns,
            proposals: self.proposals,
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
            unread_items: None,
            renumbered_turns: self.renumbered,
            unknown_keys: self.unknown_keys,
            rulings: self.rulings,
            timeline: self.timeline,
        }
    }
}

/// Computes the money that a run and its loops took.
fn spending(
    all: &StepSpend,
    at_ending: Option<StepSpend>,
    unpriced: UnpricedModels,
    loops: &FinishedLoops,
    steps: u64,
) -> (RunSpending, Vec<LoopCost>) {
    let total = all.finish();
    let after = all.since(&at_ending.unwrap_or(*all));
    let unpriced_tokens = total.unpriced_tokens();
    let is_known = |part: &StepSpend, in_part: u64| total.part_usd(part, in_part > 0 && in_part >= steps);
    let run = RunSpending {
        spent_usd: total.cost_usd(),
        estimated_usd: total.estimated_usd(),
        in_loops_usd: is_known(&loops.spend, loops.steps),
        after_ending_usd: total.part_usd(&after, false).filter(|_| at_ending.is_some()),
        steps_in_loops: loops.steps,
        tokens_in_loops: loops.tokens,
        unpriced_tokens,
        unpriced_models: if unpriced_tokens > 0 { unpriced.into_sorted() } else { Vec::new() },
    };
    let loops = loops.warned.iter().map(|warned| LoopCost {
        id: warned.id,
        detector: warned.detector,
        pattern: warned.pattern,
        tool: warned.tool.clone(),
        reason: warned.reason.clone(),
        since: warned.since,
        steps: warned.steps,
        tokens: warned.tokens,
        cost_usd: is_known(&warned.spend, warned.steps),
    });
    (run, loops.collect())
}
