//! The audit log: who changed what.

/// A record of the audit log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditRecord {
    /// Number of the record. Assigned by the store.
    pub id: i64,
    /// Time, in milliseconds since 1970.
    pub at: i64,
    /// Name of the project.
    pub project: String,
    /// Id of the token that was used, or `local` for the command line.
    pub actor: String,
    /// The change, such as `loop.allowed` or `run.forget`.
    pub action: String,
    /// The loop, run or token that it was done to.
    pub subject: String,
    /// Further details.
    pub detail: String,
}
