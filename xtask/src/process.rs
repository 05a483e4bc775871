//! Running other programs, with readable failures.

use std::env;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};

use crate::builder_paths;
use crate::chore_failure::ChoreFailure;

/// The options of cargo that add the chore `agents` with the model it needs, and the store of a fleet, so that all are checked and tested. The
/// same everywhere: with other features, crates would be compiled twice.
pub(crate) const WITH_AGENTS: [&str; 2] = ["--features", "xtask/agents,loopbreak-cli/postgres"];

/// Returns the root of the workspace. The environment comes first: a binary from another checkout must not work there.
pub(crate) fn root() -> PathBuf {
    let xtask = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    xtask.parent().map_or_else(|| PathBuf::from("."), PathBuf::from)
}

/// Returns a command for the cargo that runs this chore, at the root of the workspace.
pub(crate) fn cargo<const N: usize>(arguments: [&str; N]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    if arguments.windows(2).any(|pair| pair == ["--profile", "dist"]) {
        builder_paths::hide_in(&mut command);
    }
    command
}

/// Runs a command with the standard streams of this process.
pub(crate) fn run(command: &mut Command) -> Result<(), ChoreFailure> {
    let status = command.status().map_err(|error| not_started(command, &error))?;
    succeeded(command, status)
}

/// Runs a command and returns its output. Its errors go to standard error.
pub(crate) fn stdout_of(command: &mut Command) -> Result<Vec<u8>, ChoreFailure> {
    command.stderr(Stdio::inherit());
    let output = command.output().map_err(|error| not_started(command, &error))?;
    succeeded(command, output.status)?;
    if output.stdout.is_empty() {
        return Err(ChoreFailure::Failed(format!("{} printed nothing", shown(command))));
    }
    Ok(output.stdout)
}

/// Runs a command and shows what it printed only if it fails.
#[cfg(feature = "agents")]
pub(crate) fn run_quietly(command: &mut Command) -> Result<(), ChoreFailure> {
    let output = command.output().map_err(|error| not_started(command, &error))?;
    succeeded(command, output.status).map_err(|failure| {
        let (ChoreFailure::Failed(reason) | ChoreFailure::Usage(reason)) = failure;
        // Programs differ in the stream that they explain a failure on.
        let texts = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        ChoreFailure::Failed(format!("{reason}: {}", texts.concat().trim()))
    })
}

/// Returns whether a command can be started and succeeds. Prints nothing.
pub(crate) fn works(command: &mut Command) -> bool {
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn succeeded(command: &Command, status: ExitStatus) -> Result<(), ChoreFailure> {
    if status.success() {
        Ok(())
    } else {
        Err(ChoreFailure::Failed(format!("{} failed ({status})", shown(command))))
    }
}

fn not_started(command: &Command, error: &std::io::Error) -> ChoreFailure {
    ChoreFailure::io(format_args!("start {}", shown(command)), error)
}

/// Renders a command as one would type it, without the folder of the program.
fn shown(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let program = program.file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    let line: Vec<_> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    format!("`{}`", line.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(result: Result<(), ChoreFailure>) -> String {
        match result {
            Err(ChoreFailure::Failed(message)) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let message = message(run(&mut Command::new("no-such-program-here")));
        assert!(message.starts_with("cannot start `no-such-program-here`: "), "{message}");
    }

    #[test]
    fn a_program_that_fails_is_named_with_its_status() {
        let message = message(run(cargo(["no-such-subcommand"]).stderr(Stdio::null())));
        assert!(message.contains("cargo no-such-subcommand` failed (exit status: 101)"), "{message}");
    }

    #[cfg(feature = "agents")]
    #[test]
    fn a_failure_contains_the_output_of_a_quiet_program() {
        let message = message(run_quietly(&mut cargo(["no-such-subcommand"])));
        assert!(message.contains("failed (exit status: 101): "), "{message}");
        assert!(message.contains("no such command"), "{message}");
    }

    #[test]
    fn the_root_holds_the_manifest_of_the_workspace() {
        assert!(root().join("Cargo.lock").is_file());
    }
}
