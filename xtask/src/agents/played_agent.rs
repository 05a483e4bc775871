//! The sessions of an agent, as a table of the page about agents.
//!
//! The table of an agent stands between `<!-- recorded: NAME -->` and `<!-- end -->`. The rest of the page is written by hand.

use std::fmt::Write as _;
use std::fs;

use super::agent_package::AgentPackage;
use super::observation::{SessionEnding, SessionObservation};
use super::session_part::SessionPart;
use crate::chore_failure::ChoreFailure;
use crate::process::root;

/// The page.
pub(super) const PAGE: &str = "docs/guide/agents.md";

/// Ends a table.
const END: &str = "<!-- end -->";

/// The sessions of an agent, in the order in which they were played.
pub(super) struct PlayedAgent {
    /// The name on the command line.
    pub(super) name: &'static str,
    /// The installed package.
    pub(super) package: AgentPackage,
    /// The parts and what was seen.
    pub(super) sessions: Vec<(&'static SessionPart, SessionObservation)>,
}

impl PlayedAgent {
    /// Writes the table of the agent into the page.
    pub(super) fn write(&self) -> Result<(), ChoreFailure> {
        let path = root().join(PAGE);
        let page = fs::read_to_string(&path)
            .map_err(|error| ChoreFailure::io(format_args!("read {PAGE}"), &error))?;
        let page = self.replace_table(&page).map_err(ChoreFailure::Failed)?;
        fs::write(&path, page).map_err(|error| ChoreFailure::io(format_args!("write {PAGE}"), &error))
    }

    fn replace_table(&self, page: &str) -> Result<String, String> {
        let start = format!("<!-- recorded: {} -->\n", self.name);
        let (before, rest) =
            page.split_once(&start).ok_or_else(|| format!("{PAGE} has no line `{}`", start.trim_end()))?;
        let (_, after) =
            rest.split_once(END).ok_or_else(|| format!("the table of {} in {PAGE} has no end", self.name))?;
        Ok(format!("{before}{start}{}{END}{after}", self.render_table()))
    }

    fn render_table(&self) -> String {
        let AgentPackage { package, version, .. } = self.package;
        let mut table = format!(
            "`{package}` {version}:\n\n| part | the model | advised | refused | carried out | ending |\n\
             |---|---|---|---|---|---|\n"
        );
        for (part, seen) in &self.sessions {
            let round = |round: Option<usize>| round.map_or_else(|| "-".to_owned(), |at| at.to_string());
            let ending = match seen.ending {
                SessionEnding::Finished => "the model finished",
                SessionEnding::Stopped => "ended early",
                SessionEnding::Silent => "nothing happened",
                SessionEnding::Endless => "no end",
            };
            _ = writeln!(
                table,
                "| `{}` | {} | {} | {} | {} of {} | {ending} |",
                part.name,
                part.about,
                round(seen.told),
                round(seen.refused),
                seen.ran,
                seen.calls,
            );
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::part_list::PARTS;

    fn played() -> PlayedAgent {
        let seen = SessionObservation {
            told: Some(3),
            refused: None,
            insisted: None,
            rounds: 10,
            calls: 12,
            ran: 7,
            requests: 11,
            summaries: 0,
            ending: SessionEnding::Stopped,
        };
        let package = AgentPackage { package: "an-agent", version: "1.2.3", program: "agent" };
        PlayedAgent { name: "agent", package, sessions: vec![(&PARTS[0], seen)] }
    }

    #[test]
    fn only_the_table_of_the_agent_is_replaced() {
        let page = "# P\n\n<!-- recorded: other -->\nx\n<!-- end -->\n<!-- recorded: agent -->\nold\n<!-- end -->\nrest\n";
        let new = played().replace_table(page).unwrap();
        let row = "| `failing-call` | the same failing command, again and again | 3 | - | 7 of 12 | ended early |\n";
        assert!(new.starts_with("# P\n\n<!-- recorded: other -->\nx\n<!-- end -->\n"), "{new}");
        assert!(new.contains("`an-agent` 1.2.3:\n\n| part |") && new.contains(row), "{new}");
        assert!(!new.contains("old") && new.ends_with("<!-- end -->\nrest\n"), "{new}");
        assert_eq!(played().replace_table(&new).unwrap(), new);
    }

    #[test]
    fn a_page_without_a_table_for_the_agent_is_an_error() {
        assert!(played().replace_table("# P\n").unwrap_err().contains("<!-- recorded: agent -->"));
        assert!(played().replace_table("<!-- recorded: agent -->\n").unwrap_err().contains("no end"));
    }

    #[test]
    fn the_page_has_a_table_for_every_agent_with_every_part() {
        let page = fs::read_to_string(root().join(PAGE)).unwrap();
        for agent in crate::agents::programs::ALL {
            let start = format!("<!-- recorded: {} -->\n", agent.name());
            let table = page.split_once(&start).unwrap_or_else(|| panic!("{}", agent.name())).1;
            let table = table.split_once(END).unwrap().0;
            let AgentPackage { package, version, .. } = agent.package();
            assert!(
                table.starts_with(&format!("`{package}` {version}:\n")),
                "{}: another version",
                agent.name()
            );
            for part in PARTS.iter().filter(|part| part.includes(agent.name())) {
                assert!(table.contains(&format!("| `{}` |", part.name)), "{}: {}", agent.name(), part.name);
            }
        }
    }
}
