//! `cargo xtask dist`: the release archive.
//!
//! The archive and its checksum are made by the system's `tar` and `sha256sum`, not by crates: this program is compiled
//! on every fresh machine before its first test, and releases are made on few machines, all of which have both. Names,
//! order, times, owners and modes are fixed, so two builds of one commit can be compared by their checksums.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::chore_failure::ChoreFailure;
use crate::process::{cargo, loopbreak, root, run as run_process, stdout_of, works};
use crate::workspace_program::WorkspaceProgram;

/// All packages of the workspace have one version, this one's too.
const VERSION: &str = env!("CARGO_PKG_VERSION");

const DOCUMENTS: [&str; 4] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md"];

/// A shell, and the file name under which it looks for the completion script.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "loopbreak.bash"),
    ("elvish", "loopbreak.elv"),
    ("fish", "loopbreak.fish"),
    ("powershell", "_loopbreak.ps1"),
    ("zsh", "_loopbreak"),
];

/// Builds the archive for this machine, or for the target that is asked for.
pub(crate) fn run(arguments: &[String]) -> Result<(), ChoreFailure> {
    let target = match arguments {
        [] => None,
        [flag, target] if flag == "--target" => Some(target.as_str()),
        [flag] if flag == "--target" => {
            return Err(ChoreFailure::Usage("dist: --target needs a target triple".to_owned()));
        }
        [other, ..] => return Err(ChoreFailure::Usage(format!("dist: unexpected {other:?}"))),
    };
    for document in DOCUMENTS {
        if !root().join(document).is_file() {
            return Err(ChoreFailure::Failed(format!("the archive needs {document}, which is not there")));
        }
    }
    let triple = target.map_or_else(host, |target| Ok(target.to_owned()))?;
    let name = format!("loopbreak-{VERSION}-{triple}");
    let dist = root().join("dist");
    let stage = dist.join(&name);
    if stage.exists() {
        fs::remove_dir_all(&stage)
            .map_err(|error| ChoreFailure::io(format_args!("clear dist/{name}"), &error))?;
    }
    fill(&stage, &build(target)?)?;

    let mut files = Vec::new();
    list(&stage, &mut files)?;
    files.sort();
    make_reproducible(&files)?;
    let archive = format!("{name}.tar.gz");
    pack(&dist, &archive, &files)?;
    let sum = checksum(&dist, &archive)?;
    let sum_file = format!("{archive}.sha256");
    fs::write(dist.join(&sum_file), sum)
        .map_err(|error| ChoreFailure::io(format_args!("write dist/{sum_file}"), &error))?;
    fs::remove_dir_all(&stage)
        .map_err(|error| ChoreFailure::io(format_args!("clear dist/{name}"), &error))?;
    println!("dist/{archive}\ndist/{sum_file}");
    Ok(())
}

/// The target triple of this machine, as rustc names it.
fn host() -> Result<String, ChoreFailure> {
    let output = stdout_of(Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into())).arg("-vV"))?;
    String::from_utf8_lossy(&output)
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .map(str::to_owned)
        .ok_or_else(|| ChoreFailure::Failed("`rustc -vV` names no host".to_owned()))
}

/// Builds the binary and returns where it is. Cargo itself is asked: the target folder may be anywhere.
fn build(target: Option<&str>) -> Result<PathBuf, ChoreFailure> {
    eprintln!("xtask: building the release …");
    let mut command = cargo(["build", "--profile", "dist", "--locked", "--package", "loopbreak-cli"]);
    command.arg("--message-format=json-render-diagnostics");
    if let Some(target) = target {
        command.args(["--target", target]);
    }
    let messages = stdout_of(&mut command)?;
    WorkspaceProgram::Loopbreak.find_in(&messages)
}

/// Puts everything where it has to be in the archive. Manual pages and completions come from a binary for this machine,
/// since that of another target would not start here.
fn fill(stage: &Path, binary: &Path) -> Result<(), ChoreFailure> {
    let man = stage.join("man");
    let completions = stage.join("completions");
    for folder in [&man, &completions] {
        fs::create_dir_all(folder)
            .map_err(|error| ChoreFailure::io(format_args!("make {}", folder.display()), &error))?;
    }
    copy(binary, &stage.join(binary.file_name().unwrap_or("loopbreak".as_ref())))?;
    for document in DOCUMENTS {
        copy(&root().join(document), &stage.join(document))?;
    }
    eprintln!("xtask: writing manual pages and completions …");
    run_process(loopbreak("dist", &["man", "--out"]).arg(&man))?;
    if !man.join("loopbreak.1").is_file() {
        return Err(ChoreFailure::Failed("`loopbreak man --out` wrote no loopbreak.1".to_owned()));
    }
    for (shell, file) in COMPLETIONS {
        let script = stdout_of(&mut loopbreak("dist", &["completions", shell]))?;
        fs::write(completions.join(file), script)
            .map_err(|error| ChoreFailure::io(format_args!("write the completions for {shell}"), &error))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<(), ChoreFailure> {
    fs::copy(from, to).map(drop).map_err(|error| {
        ChoreFailure::io(format_args!("copy {} to {}", from.display(), to.display()), &error)
    })
}

/// All files below the folder.
fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), ChoreFailure> {
    let failed = |error| ChoreFailure::io(format_args!("list {}", folder.display()), &error);
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// Gives every file the time of the commit and the modes that a release has, whatever the umask says.
fn make_reproducible(files: &[PathBuf]) -> Result<(), ChoreFailure> {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(source_date());
    for path in files {
        let failed = |error| ChoreFailure::io(format_args!("set the time of {}", path.display()), &error);
        File::options().append(true).open(path).and_then(|file| file.set_modified(time)).map_err(failed)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = if path.ends_with("loopbreak") { 0o755 } else { 0o644 };
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(failed)?;
        }
    }
    Ok(())
}

/// `SOURCE_DATE_EPOCH`, or the time of the last commit, or, outside a repository, the beginning of 1980.
fn source_date() -> u64 {
    let given = env::var("SOURCE_DATE_EPOCH").ok().and_then(|seconds| seconds.parse().ok());
    let committed = || {
        let output =
            Command::new("git").args(["log", "-1", "--format=%ct"]).current_dir(root()).output().ok()?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    given.or_else(committed).unwrap_or(315_532_800)
}

fn pack(dist: &Path, archive: &str, files: &[PathBuf]) -> Result<(), ChoreFailure> {
    let version = stdout_of(Command::new("tar").arg("--version"))?;
    let root_owns: &[&str] = if String::from_utf8_lossy(&version).contains("GNU tar") {
        &["--owner=root:0", "--group=root:0"]
    } else {
        &["--uid=0", "--gid=0", "--uname=root", "--gname=root"]
    };
    let mut command = Command::new("tar");
    command.current_dir(dist).args(["--create", "--gzip", "--format=ustar"]).args(root_owns);
    command.args(["--file", archive]).args(files.iter().filter_map(|file| file.strip_prefix(dist).ok()));
    run_process(&mut command)
}

/// The line that `sha256sum --check` reads.
fn checksum(dist: &Path, archive: &str) -> Result<Vec<u8>, ChoreFailure> {
    let mut command = if works(Command::new("sha256sum").arg("--version")) {
        Command::new("sha256sum")
    } else {
        let mut shasum = Command::new("shasum");
        shasum.args(["--algorithm", "256"]);
        shasum
    };
    stdout_of(command.current_dir(dist).arg(archive))
}
