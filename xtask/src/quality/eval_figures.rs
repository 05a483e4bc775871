//! The report of `loopbreak eval`.

use serde::Deserialize;

use super::score_counts::ScoreCounts;

/// The report of `loopbreak eval`.
#[derive(Debug, Deserialize)]
pub(super) struct EvalFigures {
    pub(super) runs: u64,
    pub(super) steps: u64,
    pub(super) judges: Vec<JudgeFigures>,
    pub(super) missed: Vec<ReportedRun>,
    pub(super) false_alarms: Vec<ReportedRun>,
}

/// Loopbreak, or a rule to compare with.
#[derive(Debug, Deserialize)]
pub(super) struct JudgeFigures {
    pub(super) name: String,
    pub(super) levels: Vec<LevelFigures>,
    pub(super) savings: SavingFigures,
}

/// The signals of one level.
#[derive(Debug, Deserialize)]
pub(super) struct LevelFigures {
    pub(super) level: String,
    pub(super) signals: u64,
    #[serde(default)]
    tp: u64,
    #[serde(default)]
    fp: u64,
    #[serde(default, rename = "fn")]
    missed: u64,
}

impl LevelFigures {
    /// Returns the counts of right and wrong signals.
    pub(super) fn scores(&self) -> ScoreCounts {
        ScoreCounts { found: self.tp, wrong: self.fp, missed: self.missed }
    }
}

impl JudgeFigures {
    /// Returns the title of a level in tables: "Loopbreak warns", or the name of the rule.
    pub(super) fn title(&self, level: &LevelFigures) -> String {
        let verb = if level.level == "warn" { "warns" } else { "intervenes" };
        match self.name.as_str() {
            "loopbreak" => format!("Loopbreak {verb}"),
            "documents" => format!("`documents` {verb}"),
            name => format!("`{name}`"),
        }
    }

    /// Returns all levels with their titles.
    pub(super) fn titled_levels(&self) -> impl Iterator<Item = (String, &LevelFigures)> {
        self.levels.iter().map(|level| (self.title(level), level))
    }
}

/// Steps saved by ending runs, and progress lost.
#[derive(Debug, Deserialize)]
pub(super) struct SavingFigures {
    pub(super) ended: u64,
    pub(super) steps: u64,
    pub(super) progress_destroyed: u64,
}

/// A run that was judged otherwise than by people.
#[derive(Debug, Deserialize)]
pub(super) struct ReportedRun {
    pub(super) run: String,
    pub(super) steps: u64,
    pub(super) findings: Vec<ReportedFinding>,
}

/// The short form of a finding in the report of `eval`.
#[derive(Debug, Deserialize)]
pub(super) struct ReportedFinding {
    pub(super) turn: u64,
    pub(super) detector: String,
    pub(super) pattern: String,
}
