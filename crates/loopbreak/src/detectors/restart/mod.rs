//! `restart`: runs with the same prompt that end early, one after the other. The loop around the agent is
//! stuck.
//!
//! Catches, over the runs of a series: 3 runs in a row with one prompt that ended early (`dies_young`): at
//! most 10 steps, no progress, no further message from a user, and an end in a failure, in the middle of a
//! call, or right after the prompt; and 20 runs with one prompt that were started within a minute without a
//! result (`spawning`): agents that start agents.
//! Must not catch: any number of short healthy runs, because a run that ends with an answer or changed
//! something ended well; a nightly job that succeeds each time; other prompts; runs without a prompt. Dates,
//! times and counters do not make a prompt different. It only warns, because the agent cannot stop whatever
//! starts the runs.
//! Origin: complaints 20 and 28.

pub(crate) mod settings;
mod texts;

use serde::{Deserialize, Serialize};

use self::settings::RestartSettings;
use super::{
    Detection, Detector, DetectorName, DetectorReport, DetectorSubject, DetectorTexts, LoopFamily, Pattern,
};
use crate::evidence::Evidence;
use crate::memory::{HashKey, LruMap, RingBuffer, key_of_parts};
use crate::summary::RunSummary;
use crate::verdict::Severity;

/// Number of prompts that a series keeps apart, and number of starts that it keeps of each.
const PROMPTS: usize = 1024;
const STARTS: usize = 64;
/// The window for `spawning`, in milliseconds.
const WINDOW_MS: i64 = 60_000;

/// The runs of each prompt that a series knows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct RestartDetector(LruMap<PromptHistory, PROMPTS>);

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct PromptHistory {
    /// Number of runs in a row that ended early, the number of the first among all runs, and the count at the
    /// last report.
    dead: u32,
    since: u64,
    told: u32,
    /// Start times of the last runs without a result, and the number within a minute at the last report.
    starts: RingBuffer<i64, STARTS>,
    told_starts: u32,
}

impl Detector for RestartDetector {
    type Settings = RestartSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Run;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;
}

impl RestartDetector {
    /// Records a run that has ended. `tick` is its number among all runs.
    pub(crate) fn conclude(
        &mut self,
        run: &RunSummary,
        tick: u64,
        settings: &RestartSettings,
        enforced: bool,
    ) -> Vec<DetectorReport> {
        let Some(key) = run.prompt_key() else { return Vec::new() };
        let prompt = self.0.touch_or_insert(key, PromptHistory::default);
        let mut reports = Vec::new();
        let report = |pattern, identity: HashKey, since, count, news| DetectorReport {
            detector: DetectorName::Restart,
            enforced,
            detection: Detection {
                pattern,
                family: LoopFamily::Run,
                identity,
                since,
                severity: Some(Severity::Warn),
                stage: 0,
                count,
                requested_intervention: None,
            },
            news,
            evidence: evidence(run, count, pattern),
        };
        if run.died_young(u64::from(settings.young)) {
            if prompt.dead == 0 {
                prompt.since = tick;
            }
            prompt.dead = prompt.dead.saturating_add(1);
            if prompt.dead >= settings.warn_at {
                let news = is_news(prompt.dead, &mut prompt.told);
                reports.push(report(
                    Pattern::DiesYoung,
                    key_of_parts(&[key, HashKey(14)]),
                    prompt.since,
                    prompt.dead,
                    news,
                ));
            }
        } else {
            (prompt.dead, prompt.told) = (0, 0);
        }
        if let (true, Some(started)) = (run.came_to_nothing(), run.started()) {
            prompt.starts.push(started);
            let near =
                prompt.starts.iter().filter(|start| (started - **start).abs() <= WINDOW_MS).count() as u32;
            if settings.spawn_at > 0 && near >= settings.spawn_at {
                let news = is_news(near, &mut prompt.told_starts);
                reports.push(report(Pattern::Spawning, key_of_parts(&[key, HashKey(15)]), tick, near, news));
            }
        }
        reports
    }
}

/// Returns whether a count is news: the first one, or at least twice the last reported one.
fn is_news(count: u32, told: &mut u32) -> bool {
    let news = *told == 0 || count >= told.saturating_mul(2);
    if news {
        *told = count;
    }
    news
}

fn evidence(run: &RunSummary, count: u32, pattern: Pattern) -> Evidence {
    let mut evidence = Evidence::default();
    evidence.note("runs", count).quote("last_run", run.run());
    if let Some(prompt) = run.prompt() {
        evidence.quote("prompt", prompt);
    }
    if let Some(error) = run.last_error() {
        evidence.quote("ended_with", error);
    }
    if pattern == Pattern::Spawning {
        evidence.note("seconds", WINDOW_MS / 1000);
    }
    evidence
}
