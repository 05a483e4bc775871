//! The options of `loopbreak completions`.

use clap::Args;

/// Print shell completions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak completions bash \\
    > ~/.local/share/bash-completion/completions/loopbreak
  loopbreak completions zsh > ~/.zfunc/_loopbreak
  loopbreak completions fish > ~/.config/fish/completions/loopbreak.fish

Commands, options and the names of formats, profiles, agents and configuration
keys are completed. Ids of runs and tasks are not.")]
pub(crate) struct CompletionsArgs {
    /// Shell to print completions for
    pub(super) shell: clap_complete::Shell,
}
