//! The cost of sessions, as adapters report it to the store.

/// Upper limit of the cost that is counted at a time, in US dollars. Logs are not trusted: one line must not use up a budget for
/// ever.
const MOST_USD: f64 = 10_000.0;

/// Cost of a part of a session so far.
///
/// An adapter reports the whole cost, not what has been added: a log that is read again, or by two programs, is counted once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionCost {
    /// Name of the session.
    pub session: String,
    /// The part: the subagent, empty for the main agent.
    pub part: String,
    /// The run of `loopbreak run` that has started the session, empty for none. The cost that the run reports contains this one.
    pub parent: String,
    /// Cost of the part so far, in US dollars.
    pub usd: f64,
    /// Time of what was added, in milliseconds since 1970.
    pub at: i64,
}

impl SessionCost {
    /// Returns the cost that is added to what was recorded before.
    pub(crate) fn added(&self, recorded: f64) -> f64 {
        let added = self.usd - recorded;
        if added.is_finite() && added > 0.0 { added.min(MOST_USD) } else { 0.0 }
    }
}
