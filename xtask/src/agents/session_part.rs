//! A part that a scripted model plays.

use loopbreak_hooks::scripted_model::ScriptedDeed;

use super::project_files::ProjectFiles;

/// A part: what the model does, and what is special about the session.
pub(super) struct SessionPart {
    /// The name on the command line.
    pub(super) name: &'static str,
    /// A few words about it.
    pub(super) about: &'static str,
    /// Decides what the model does next.
    pub(super) play: fn(&PartTurn<'_>) -> PartMove,
    /// Decides what a subagent does, if there is one. Then its conversation is observed instead of the main conversation.
    pub(super) subagent: Option<fn(&PartTurn<'_>) -> PartMove>,
    /// The settings of the session.
    pub(super) variant: PartVariant,
    /// The calls that were carried out are counted by their results, not by the scripts that were run: the part does more
    /// than run scripts.
    pub(super) counts_results: bool,
    /// The agents with which the part is played, or all.
    pub(super) agents: &'static [&'static str],
}

/// The knowledge on which the model decides.
pub(super) struct PartTurn<'t> {
    /// The number of rounds that were played before. A round is an answer with calls.
    pub(super) round: usize,
    /// The guard has given advice.
    pub(super) told: bool,
    /// The files of the session.
    pub(super) files: &'t ProjectFiles,
}

/// The next move of the model.
pub(super) enum PartMove {
    /// Makes calls, several of them in parallel.
    Call(Vec<ScriptedDeed>),
    /// Makes calls, and reports a conversation that is so large that the agent compacts it.
    CallAndCompact(Vec<ScriptedDeed>),
    /// Says something and ends its turn: the part is over.
    End,
}

/// The settings of a session that differ between parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PartVariant {
    /// The content of the user's own `loopbreak.toml`.
    pub(super) config: &'static str,
    /// The hooks are installed for the user and for the project, with different commands.
    pub(super) two_installations: bool,
    /// The agent's own guard against loops is on, if it has one.
    pub(super) own_guard: bool,
    /// The hooks are installed as a plugin or extension of the agent, by its own commands.
    pub(super) plugin: bool,
    /// Another hook never lets the agent end its turn.
    pub(super) other_hook: bool,
    /// The agent is configured to compact a conversation of [`COMPACTED_TOKENS`].
    pub(super) compaction: bool,
}

/// The size of a conversation that the agent compacts.
pub(super) const COMPACTED_TOKENS: u64 = 150_000;

impl PartVariant {
    /// An ordinary session.
    pub(super) const PLAIN: PartVariant = PartVariant {
        config: "",
        two_installations: false,
        own_guard: false,
        plugin: false,
        other_hook: false,
        compaction: false,
    };
}

impl SessionPart {
    /// Creates a part of an ordinary session.
    pub(super) const fn new(
        name: &'static str,
        about: &'static str,
        play: fn(&PartTurn<'_>) -> PartMove,
    ) -> Self {
        SessionPart {
            name,
            about,
            play,
            subagent: None,
            variant: PartVariant::PLAIN,
            counts_results: false,
            agents: &[],
        }
    }

    /// Creates a part of an ordinary session in which the agent does more than run scripts.
    pub(super) const fn with_results(
        name: &'static str,
        about: &'static str,
        play: fn(&PartTurn<'_>) -> PartMove,
    ) -> Self {
        SessionPart { counts_results: true, ..SessionPart::new(name, about, play) }
    }

    /// Returns whether the part is played with an agent.
    pub(super) fn includes(&self, agent: &str) -> bool {
        self.agents.is_empty() || self.agents.contains(&agent)
    }
}
