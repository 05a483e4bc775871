//! Loops over all runs of a project, as issues.

use std::str::FromStr;

/// The state of a loop as people decide about it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum IssueState {
    /// Nobody has decided about it.
    #[default]
    Open,
    /// It does not count as a loop: guards let it pass.
    Allowed,
    /// Its cause was removed. It opens again when it is found again.
    Fixed,
    /// Guards act on it, but nobody is told.
    Muted,
}

impl IssueState {
    /// All states.
    pub const ALL: [IssueState; 4] =
        [IssueState::Open, IssueState::Allowed, IssueState::Fixed, IssueState::Muted];

    /// Returns the name in the store and in all output.
    pub fn as_str(self) -> &'static str {
        match self {
            IssueState::Open => "open",
            IssueState::Allowed => "allowed",
            IssueState::Fixed => "fixed",
            IssueState::Muted => "muted",
        }
    }
}

impl FromStr for IssueState {
    type Err = UnknownIssueState;

    fn from_str(name: &str) -> Result<Self, UnknownIssueState> {
        IssueState::ALL.into_iter().find(|state| state.as_str() == name).ok_or(UnknownIssueState)
    }
}

/// A text that is not the state of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown state of a loop: use open, allowed, fixed or muted")]
pub struct UnknownIssueState;

/// A loop over all runs of a project.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoopIssue {
    /// Name of the project.
    pub project: String,
    /// Id of the loop.
    pub loop_id: String,
    /// State.
    pub state: IssueState,
    /// Detector that found it first.
    pub detector: String,
    /// Pattern.
    pub pattern: String,
    /// Worst severity: `hint`, `warn` or `hard`.
    pub severity: String,
    /// Reason of the last finding, in one sentence.
    pub reason: String,
    /// Name of the tool.
    pub tool: String,
    /// The repeated action.
    pub action: String,
    /// Name of the last model.
    pub model: String,
    /// Number of findings.
    pub count: u64,
    /// Number of runs.
    pub runs: u64,
    /// Number of steps.
    pub steps: u64,
    /// Cost of the steps in US dollars.
    pub cost: f64,
    /// Tokens of the steps.
    pub tokens: u64,
    /// Time of the first finding, in milliseconds since 1970.
    pub first_seen: i64,
    /// Time of the last one.
    pub last_seen: i64,
    /// Name of the run in which it was found last.
    pub last_run: String,
    /// Time from which it was open: when it was found first, or again after it was fixed.
    pub opened: i64,
}

/// The order of loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoopOrder {
    /// The most expensive first.
    #[default]
    Cost,
    /// The most frequent first.
    Count,
    /// The latest first.
    LastSeen,
}

/// A question about loops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoopQuery {
    /// Only the loops of this project.
    pub project: Option<String>,
    /// Only loops in this state.
    pub state: Option<IssueState>,
    /// Only loops that were seen at or after this time.
    pub since: Option<i64>,
    /// Only loops that were opened at or after this time: that are new, or found again after they were fixed.
    pub opened_since: Option<i64>,
    /// Order.
    pub order: LoopOrder,
    /// Number of loops to leave out.
    pub offset: usize,
    /// Largest number of loops.
    pub limit: usize,
}

/// A loop that guards let pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedLoop {
    /// Id of the loop.
    pub loop_id: String,
    /// The rule that covers the repeated call, as JSON. Empty if the loop is not about a call.
    pub rule: String,
}
