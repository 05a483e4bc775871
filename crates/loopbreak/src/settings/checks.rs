//! What is a valid whole: a [`Config`] that exists is a valid one.

use std::fmt;
use std::ops::{Deref, RangeInclusive};
use std::sync::Arc;

use super::{Profile, Settings};
use crate::fingerprint::VocabularyTables;

/// Settings that were checked. A guard takes nothing else.
#[derive(Clone, Debug)]
pub struct Config(Arc<PreparedSettings>);

/// Settings, and what is made of them once instead of at every step.
#[derive(Debug)]
struct PreparedSettings {
    settings: Settings,
    tables: VocabularyTables,
}

/// One thing that is wrong with settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsProblem {
    /// The option, as in `stagnation.max_turns`.
    pub path: String,
    /// What is wrong with it.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// Everything that is wrong with settings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct SettingsProblems(pub Vec<SettingsProblem>);

impl fmt::Display for SettingsProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{}: {}; {}", problem.path, problem.message, problem.hint)?;
        }
        Ok(())
    }
}

impl Config {
    /// SettingsChecks settings.
    pub fn new(settings: Settings) -> Result<Self, SettingsProblems> {
        let problems = settings.problems();
        if problems.is_empty() { Ok(Config::checked(settings)) } else { Err(SettingsProblems(problems)) }
    }

    /// The defaults of a profile.
    pub fn of(profile: Profile) -> Self {
        Config::checked(Settings::of(profile))
    }

    fn checked(settings: Settings) -> Self {
        let tables = VocabularyTables::from(&settings);
        Config(Arc::new(PreparedSettings { settings, tables }))
    }

    /// What the settings say about words.
    pub(crate) fn tables(&self) -> &VocabularyTables {
        &self.0.tables
    }
}

impl Default for Config {
    fn default() -> Self {
        Config::of(Profile::default())
    }
}

impl Deref for Config {
    type Target = Settings;

    fn deref(&self) -> &Settings {
        &self.0.settings
    }
}

impl Settings {
    /// Everything that is wrong with these settings.
    pub fn problems(&self) -> Vec<SettingsProblem> {
        let mut checks = SettingsChecks::default();
        checks.table("stagnation", |checks| self.stagnation.check(checks));
        checks.table("revisit", |checks| self.revisit.check(checks));
        checks.table("oscillation", |checks| self.oscillation.check(checks));
        checks.table("camping", |checks| self.camping.check(checks));
        checks.table("novelty", |checks| self.novelty.check(checks));
        checks.table("task", |checks| self.task.check(checks));
        checks.table("signature", |checks| self.signature.check(checks));
        checks.table("similarity", |checks| self.similarity.check(checks));
        checks.table("budget", |checks| self.budget.check(checks));
        checks.table("errors", |checks| self.errors.check(checks));
        checks.table("cycle", |checks| self.cycle.check(checks));
        checks.table("recurrence", |checks| self.recurrence.check(checks));
        checks.table("drift", |checks| self.drift.check(checks));
        checks.table("failing_target", |checks| self.failing_target.check(checks));
        checks.table("poll", |checks| self.poll.check(checks));
        checks.table("chant", |checks| self.chant.check(checks));
        checks.table("noop", |checks| self.noop.check(checks));
        checks.table("restart", |checks| self.restart.check(checks));
        checks.table("policy", |checks| {
            let policy = &self.policy;
            checks.within("accept_at", policy.accept_at, &(0.0..=1.0));
            checks.penalty("repeat_penalty", policy.repeat_penalty);
            checks.that(
                policy.score_min.is_finite()
                    && policy.score_max.is_finite()
                    && policy.score_min < policy.score_max,
                "score_min",
                || {
                    (
                        format!(
                            "score_min ({}) must be below score_max ({})",
                            policy.score_min, policy.score_max
                        ),
                        "lower the one or raise the other".into(),
                    )
                },
            );
            checks.that(
                policy.accept_at > policy.score_min && policy.accept_at <= policy.score_max,
                "accept_at",
                || {
                    (
                        format!(
                            "accept_at ({}) must lie above score_min ({}) and not above score_max ({})",
                            policy.accept_at, policy.score_min, policy.score_max
                        ),
                        "otherwise every proposal would be accepted, or none".into(),
                    )
                },
            );
        });
        checks.table("report", |checks| {
            checks.within("calls_per_step", self.report.calls_per_step, &(1..=1000));
        });
        checks.table("advice", |checks| crate::advice::check(&self.advice, checks));
        for (index, rule) in self.allow.iter().enumerate() {
            checks.that(rule.tool.is_some() || rule.args.is_some(), &format!("allow[{index}]"), || {
                ("an allow rule without tool and args would allow everything".into(), "name a tool, a pattern of its args, or both; to switch Loopbreak off, set mode = \"off\"".into())
            });
        }
        checks.problems
    }
}

/// Collects problems, each under the option it is about.
#[derive(Default)]
pub(crate) struct SettingsChecks {
    table: String,
    problems: Vec<SettingsProblem>,
}

impl SettingsChecks {
    fn table(&mut self, name: &str, check: impl FnOnce(&mut SettingsChecks)) {
        name.clone_into(&mut self.table);
        check(self);
        self.table.clear();
    }

    /// The value must lie in the range.
    pub(crate) fn within<T: PartialOrd + fmt::Display + Copy>(
        &mut self,
        option: &str,
        value: T,
        range: &RangeInclusive<T>,
    ) {
        self.that(range.contains(&value), option, || {
            (
                format!("{value} is out of range"),
                format!("give a value from {} to {}", range.start(), range.end()),
            )
        });
    }

    /// The value must be a penalty: negative, and -1 at the most.
    pub(crate) fn penalty(&mut self, option: &str, value: f64) {
        self.that((-1.0..0.0).contains(&value), option, || {
            (
                format!("{value} is out of range"),
                "give a value from -1 to below 0; to take nothing away, switch the detector off".into(),
            )
        });
    }

    /// A warning must come before the action.
    pub(crate) fn warns_first(&mut self, warn_at: u32, hard_at: u32) {
        self.warns_first_by(("warn_at", warn_at), ("hard_at", hard_at));
    }

    /// The same for options with names of their own.
    pub(crate) fn warns_first_by(&mut self, (warn, warn_at): (&str, u32), (hard, hard_at): (&str, u32)) {
        self.within(warn, warn_at, &(2..=1000));
        self.that(hard_at == 0 || warn_at < hard_at, hard, || {
            (
                format!("{hard} ({hard_at}) must be above {warn} ({warn_at})"),
                format!("a loop is warned of before it is acted on: raise {hard}, lower {warn}, or set {hard} = 0 for never"),
            )
        });
    }

    /// Something must hold; what to say where it does not.
    pub(crate) fn that(&mut self, holds: bool, option: &str, say: impl FnOnce() -> (String, String)) {
        if !holds {
            let (message, hint) = say();
            let path =
                if self.table.is_empty() { option.to_owned() } else { format!("{}.{option}", self.table) };
            self.problems.push(SettingsProblem { path, message, hint });
        }
    }
}
