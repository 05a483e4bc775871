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
keys are completed; in bash, zsh and fish also the ids of stored runs.")]
pub(crate) struct CompletionsArgs {
    /// Shell to print completions for
    #[arg(required_unless_present = "runs")]
    pub(super) shell: Option<clap_complete::Shell>,
    /// Print the ids of stored runs, one per line: the scripts call this
    #[arg(long, conflicts_with = "shell")]
    pub(super) runs: bool,
}
