//! Selects the runs of one session by its name or the start of it.

use crate::{Run, StoreError};

/// The reason why a name selects no session.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectSessionError {
    /// No session has this name, and none starts with it.
    #[error("run {name:?} not found")]
    NotFound {
        /// The name.
        name: String,
        /// The session with the most similar name, if it was looked for.
        nearest: Option<String>,
    },
    /// Several sessions start with this name.
    #[error("more than one run starts with {name:?}")]
    Ambiguous {
        /// The name.
        name: String,
        /// Their runs.
        runs: Vec<Run>,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Selects the runs of the session with this name, else of the only session that starts with it. `runs` are those that
/// [`Store::find`](crate::Store::find) returned.
pub fn select_session(mut runs: Vec<Run>, name: &str) -> Result<Vec<Run>, SelectSessionError> {
    if runs.iter().any(|run| run.session == name) {
        runs.retain(|run| run.session == name);
    }
    let name = name.to_owned();
    match runs.first() {
        None => Err(SelectSessionError::NotFound { name, nearest: None }),
        Some(first) if runs.iter().any(|run| run.session != first.session) => {
            Err(SelectSessionError::Ambiguous { name, runs })
        }
        Some(_) => Ok(runs),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(session: &str, agent: &str) -> Run {
        let (session, agent) = (session.to_owned(), agent.to_owned());
        let source = "claude-code".to_owned();
        Run {
            id: 0,
            source,
            session,
            agent,
            folder: String::new(),
            started: 0,
            seen: 0,
            ended: None,
            events: 0,
        }
    }

    #[test]
    fn a_full_name_wins_over_longer_names() {
        let runs = vec![run("a1", ""), run("a1", "sub"), run("a12", "")];
        assert_eq!(select_session(runs.clone(), "a1").unwrap().len(), 2);
        let error = select_session(runs, "a").unwrap_err();
        assert_eq!(error.to_string(), "more than one run starts with \"a\"");
        assert_eq!(select_session(Vec::new(), "a").unwrap_err().to_string(), "run \"a\" not found");
    }
}
