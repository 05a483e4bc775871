//! `loopbreak hook install` and `uninstall`.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap::Args;
use loopbreak_store::{now, write_copy_atomically};

use super::Dialect;
use super::diff::diff;
use super::settings::{with_hooks, without_hooks};
use crate::error::UserError;
use crate::{exit, output};

/// Write the hooks into the settings of an agent, or take them out.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  loopbreak hook install claude-code --dry-run    Show what would change, and change nothing
  loopbreak hook install claude-code              This project: .claude/settings.json
  loopbreak hook install claude-code --user       All projects: ~/.claude/settings.json
  loopbreak hook install codex                    This project: .codex/hooks.json
  loopbreak hook install gemini                   This project: .gemini/settings.json
  loopbreak hook uninstall claude-code            Take the hooks out again

The rest of the file stays as it is. What was there before is kept beside it.")]
pub(crate) struct InstallArgs {
    /// Which agent
    #[arg(value_name = "AGENT")]
    agent: Dialect,
    #[command(flatten)]
    place: Place,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// Whose settings.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The settings of the project in this folder; the default
    #[arg(long, conflicts_with = "user")]
    project: bool,
    /// The settings of the user, for all projects
    #[arg(long)]
    user: bool,
}

impl Place {
    /// The file of the settings.
    pub(crate) fn file(&self, dialect: Dialect) -> Result<PathBuf, UserError> {
        if self.user {
            return user_file(dialect);
        }
        let (folder, file) = names(dialect);
        Ok(Path::new(folder).join(file))
    }

    /// Whether the user named one.
    pub(crate) fn is_named(&self) -> bool {
        self.project || self.user
    }
}

/// The folder of an agent's settings, and the file in it.
fn names(dialect: Dialect) -> (&'static str, &'static str) {
    match dialect {
        Dialect::ClaudeCode => (".claude", "settings.json"),
        Dialect::Codex => (".codex", "hooks.json"),
        Dialect::Gemini => (".gemini", "settings.json"),
    }
}

/// The settings for all projects.
pub(crate) fn user_file(dialect: Dialect) -> Result<PathBuf, UserError> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let (folder, file) = names(dialect);
    let moved = match dialect {
        Dialect::ClaudeCode => variable("CLAUDE_CONFIG_DIR"),
        Dialect::Codex => variable("CODEX_HOME"),
        Dialect::Gemini => variable("GEMINI_CLI_HOME").map(|home| home.join(folder)),
    };
    let home = || variable("HOME").or_else(|| variable("USERPROFILE")).map(|home| home.join(folder));
    let found = moved
        .or_else(home)
        .ok_or_else(|| UserError::failed("the variable HOME is not set").hint("use --project"))?;
    Ok(found.join(file))
}

pub(crate) fn install(args: &InstallArgs) -> Result<u8, UserError> {
    let command = command(args.agent)?;
    change(
        args,
        |text| with_hooks(args.agent, text, &command),
        "the hooks are there already",
        hint(args.agent),
    )
}

pub(crate) fn uninstall(args: &InstallArgs) -> Result<u8, UserError> {
    change(args, |text| without_hooks(args.agent, text), "there are no hooks of ours", "")
}

/// What is left for the user to do.
fn hint(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::ClaudeCode => "sessions that run already take them up when they are started anew\n",
        Dialect::Codex => {
            "Codex CLI runs no hook that you have not looked at: start it and trust them with /hooks\n"
        }
        Dialect::Gemini => "Gemini CLI takes them up when it is started anew; /hooks lists them\n",
    }
}

/// This program as a command line for a shell, which every version of the agent understands.
pub(crate) fn command(dialect: Dialect) -> Result<String, UserError> {
    let program = std::env::current_exe()
        .map_err(|error| UserError::failed(format!("cannot find this program: {error}")))?;
    let program = program.to_str().ok_or_else(|| {
        UserError::failed(format!("the path of this program is not Unicode: {}", program.display()))
    })?;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+:\\".contains(letter);
    let program = if program.chars().all(plain) {
        program.to_owned()
    } else {
        format!("'{}'", program.replace('\'', r"'\''"))
    };
    Ok(format!("{program} hook {}", dialect.name()))
}

fn change(
    args: &InstallArgs,
    change: impl FnOnce(&str) -> Result<String, String>,
    same: &str,
    hint: &str,
) -> Result<u8, UserError> {
    let file = args.place.file(args.agent)?;
    let name = file.display();
    let old = match fs::read_to_string(&file) {
        Ok(text) => Some(text),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(UserError::failed(format!("cannot read {name}: {error}"))),
    };
    let before = old.as_deref().unwrap_or_default();
    let after = change(before).map_err(|why| {
        UserError::failed(format!("cannot change {name}: {why}"))
            .hint("nothing was changed; mend the file first")
    })?;
    if before == after {
        output::print(&format!("{name}: {same}\n"))?;
        return Ok(exit::DONE);
    }
    output::print(&format!("{name}:\n{}", diff(before, &after)))?;
    if args.dry_run {
        output::print("nothing was changed (--dry-run)\n")?;
        return Ok(exit::DONE);
    }
    let kept = write(&file, old.as_deref(), &after)?;
    match kept {
        Some(kept) => output::print(&format!("written; what was there before is {}\n", kept.display()))?,
        None => output::print("written\n")?,
    }
    output::print(hint)?;
    Ok(exit::DONE)
}

/// Writes the settings, and first what was there before beside them.
fn write(file: &Path, old: Option<&str>, new: &str) -> Result<Option<PathBuf>, UserError> {
    let Some(old) = old else {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| UserError::failed(format!("cannot make {}: {error}", folder.display())))?;
        }
        output::save(file, new.as_bytes())?;
        return Ok(None);
    };
    // A link stays a link: what it leads to is written.
    let real = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let mut kept = real.as_os_str().to_owned();
    kept.push(format!(".before-loopbreak-{}", now()));
    let kept = PathBuf::from(kept);
    write_copy_atomically(&kept, &real, old.as_bytes())
        .map_err(|error| UserError::failed(format!("cannot write {}: {error}", kept.display())))?;
    output::save(&real, new.as_bytes())?;
    Ok(Some(kept))
}
