//! The archive for one platform.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use super::bill_of_materials::render_bill;
use super::dist_target::DistTarget;
use super::program_packages::list_packages;
use super::smoke_test::try_archive;
use super::source_date::{commit, has_changes, source_date};
use super::third_party_licences::render_licences;
use super::{VERSION, dist_folder};
use crate::chore_failure::ChoreFailure;
use crate::process::{cargo, root, run as run_process, stdout_of, works};
use crate::workspace_program::WorkspaceProgram;

const DOCUMENTS: [&str; 4] = ["LICENSE-APACHE", "LICENSE-MIT", "README.md", "CHANGELOG.md"];

/// A shell, and the file name under which it looks for the completion script.
const COMPLETIONS: [(&str, &str); 5] = [
    ("bash", "loopbreak.bash"),
    ("elvish", "loopbreak.elv"),
    ("fish", "loopbreak.fish"),
    ("powershell", "_loopbreak.ps1"),
    ("zsh", "_loopbreak"),
];

/// Builds the archive and the bill of materials for a platform, or for this machine.
pub(super) fn build(asked: Option<&DistTarget>) -> Result<(), ChoreFailure> {
    for document in DOCUMENTS {
        if !root().join(document).is_file() {
            return Err(ChoreFailure::Failed(format!("the archive needs {document}, which is not there")));
        }
    }
    if has_changes() {
        eprintln!("xtask: some files differ from the commit that the program will name");
    }
    let host = DistTarget::host()?;
    let target = asked.unwrap_or(&host).clone();
    let runs_here = target.runs_on(&host);
    let name = format!("loopbreak-{VERSION}-{}", target.triple);
    let dist = dist_folder();
    let packages = list_packages(&target.triple)?;
    let program = build_program(asked)?;
    // The program of another platform does not start here, so another one writes about itself.
    let speaker = if runs_here { program.clone() } else { build_program(None)? };
    assemble(&dist, &name, &program, &speaker, &render_licences(&packages))?;
    if runs_here {
        try_archive(&dist, &name, &target)?;
    } else {
        eprintln!("xtask: {name}.tar.gz was not tried: it is not for this machine");
    }
    let bill = format!("{:#}\n", render_bill(&packages, &target.triple, source_date()));
    write(&dist.join(format!("{name}.cdx.json")), bill.as_bytes())?;
    println!("dist/{name}.tar.gz\ndist/{name}.cdx.json");
    Ok(())
}

/// Writes the archive of a program. The files are collected in a folder beside it, which is removed afterwards.
fn assemble(
    dist: &Path,
    name: &str,
    program: &Path,
    speaker: &Path,
    licences: &str,
) -> Result<(), ChoreFailure> {
    let stage = dist.join(name);
    let clear = || match fs::remove_dir_all(&stage) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(ChoreFailure::io(format_args!("clear {}", stage.display()), &error))
        }
        _ => Ok(()),
    };
    clear()?;
    fill(&stage, program, speaker)?;
    write(&stage.join("THIRD-PARTY-LICENSES.txt"), licences.as_bytes())?;
    let mut files = Vec::new();
    list(&stage, &mut files)?;
    files.sort();
    make_reproducible(&files)?;
    pack(dist, &format!("{name}.tar.gz"), &files)?;
    clear()
}

/// Builds the program and returns where it is. Cargo itself is asked: the target folder may be anywhere.
fn build_program(target: Option<&DistTarget>) -> Result<PathBuf, ChoreFailure> {
    eprintln!("xtask: building the release …");
    let with_zig = target.is_some_and(|target| target.glibc.is_some());
    // Cargo's own spelling, `cargo zigbuild --version`, is an error to that program.
    if with_zig && !works(Command::new("cargo-zigbuild").arg("--version")) {
        return Err(ChoreFailure::Failed(
            "a program for an older glibc is linked with `cargo zigbuild`; get it with `pip install ziglang cargo-zigbuild`"
                .to_owned(),
        ));
    }
    let build = if with_zig { "zigbuild" } else { "build" };
    let mut command = cargo([
        build,
        "--profile",
        "dist",
        "--locked",
        "--package",
        "loopbreak-cli",
        "--features",
        "postgres",
    ]);
    command.arg("--message-format=json-render-diagnostics");
    if let Some(target) = target {
        command.args(["--target", &target.with_glibc()]);
    }
    if env::var_os("LOOPBREAK_COMMIT").is_none() {
        command.env("LOOPBREAK_COMMIT", commit().unwrap_or_default());
    }
    let messages = stdout_of(&mut command)?;
    WorkspaceProgram::Loopbreak.find_in(&messages)
}

/// Puts everything where it has to be in the archive.
fn fill(stage: &Path, program: &Path, speaker: &Path) -> Result<(), ChoreFailure> {
    let man = stage.join("man");
    let completions = stage.join("completions");
    for folder in [&man, &completions] {
        fs::create_dir_all(folder)
            .map_err(|error| ChoreFailure::io(format_args!("make {}", folder.display()), &error))?;
    }
    copy(program, &stage.join(program.file_name().unwrap_or("loopbreak".as_ref())))?;
    for document in DOCUMENTS {
        copy(&root().join(document), &stage.join(document))?;
    }
    eprintln!("xtask: writing manual pages and completions …");
    run_process(Command::new(speaker).args(["man", "--out"]).arg(&man))?;
    if !man.join("loopbreak.1").is_file() {
        return Err(ChoreFailure::Failed("`loopbreak man --out` wrote no loopbreak.1".to_owned()));
    }
    for (shell, file) in COMPLETIONS {
        write(&completions.join(file), &stdout_of(Command::new(speaker).args(["completions", shell]))?)?;
    }
    Ok(())
}

fn write(path: &Path, content: &[u8]) -> Result<(), ChoreFailure> {
    fs::write(path, content)
        .map_err(|error| ChoreFailure::io(format_args!("write {}", path.display()), &error))
}

fn copy(from: &Path, to: &Path) -> Result<(), ChoreFailure> {
    fs::copy(from, to).map(drop).map_err(|error| {
        ChoreFailure::io(format_args!("copy {} to {}", from.display(), to.display()), &error)
    })
}

/// Adds all files below the folder.
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
            let is_program = ["loopbreak", "loopbreak.exe"].iter().any(|name| path.ends_with(name));
            let mode = if is_program { 0o755 } else { 0o644 };
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(failed)?;
        }
    }
    Ok(())
}

fn pack(dist: &Path, archive: &str, files: &[PathBuf]) -> Result<(), ChoreFailure> {
    let version = stdout_of(Command::new("tar").arg("--version"))?;
    let fixed: &[&str] = if String::from_utf8_lossy(&version).contains("GNU tar") {
        &["--owner=root:0", "--group=root:0"]
    } else {
        // This one compresses by itself, and would put the present time in front.
        &["--uid=0", "--gid=0", "--uname=root", "--gname=root", "--options=gzip:!timestamp"]
    };
    let mut command = Command::new("tar");
    command.current_dir(dist).args(["--create", "--gzip", "--format=ustar"]).args(fixed);
    command.args(["--file", archive]);
    for file in files.iter().filter_map(|file| file.strip_prefix(dist).ok()) {
        let words: Vec<_> = file.iter().map(|word| word.to_string_lossy()).collect();
        command.arg(words.join("/"));
    }
    run_process(&mut command)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    /// Writes a program that answers as the chore expects it, with this version.
    fn stand_in(folder: &Path, version: &str) -> PathBuf {
        let long = commit().map(|commit| format!(" ({commit})")).unwrap_or_default();
        let script = format!(
            "#!/bin/sh\ncase $1 in\n-V) echo loopbreak {version} ;;\n--version) echo 'loopbreak {version}{long}' ;;\n\
             man) echo .TH > \"$3/loopbreak.1\" ;;\ncompletions) echo \"complete for $2\" ;;\n\
             analyze) test -f \"$2\" && echo 1 run ;;\nesac\n"
        );
        let program = folder.join("loopbreak");
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
        program
    }

    struct TestFolder(PathBuf);

    impl TestFolder {
        fn new(name: &str) -> Self {
            let folder = env::temp_dir().join(format!("loopbreak-dist-test-{name}-{}", std::process::id()));
            fs::create_dir_all(&folder).unwrap();
            TestFolder(folder)
        }
    }

    impl Drop for TestFolder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn an_archive_is_complete_and_the_same_every_time() {
        let (one, two) = (TestFolder::new("one"), TestFolder::new("two"));
        let mut archives = Vec::new();
        for folder in [&one.0, &two.0] {
            let program = stand_in(folder, VERSION);
            // The time of a file and the umask must not matter.
            File::options()
                .append(true)
                .open(&program)
                .unwrap()
                .set_modified(SystemTime::UNIX_EPOCH)
                .unwrap();
            assemble(folder, "loopbreak-x", &program, &program, "licences").unwrap();
            assert!(!folder.join("loopbreak-x").exists());
            archives.push(fs::read(folder.join("loopbreak-x.tar.gz")).unwrap());
            fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        }
        assert!(archives[0] == archives[1]);
        let listed =
            stdout_of(Command::new("tar").args(["-tvzf", "loopbreak-x.tar.gz"]).current_dir(&one.0)).unwrap();
        let listed = String::from_utf8(listed).unwrap();
        let names: Vec<&str> = listed.lines().filter_map(|line| line.split("loopbreak-x/").nth(1)).collect();
        assert_eq!(
            names,
            [
                "CHANGELOG.md",
                "LICENSE-APACHE",
                "LICENSE-MIT",
                "README.md",
                "THIRD-PARTY-LICENSES.txt",
                "completions/_loopbreak",
                "completions/_loopbreak.ps1",
                "completions/loopbreak.bash",
                "completions/loopbreak.elv",
                "completions/loopbreak.fish",
                "loopbreak",
                "man/loopbreak.1",
            ]
        );
        for line in listed.lines() {
            let mode = if line.ends_with("/loopbreak") { "-rwxr-xr-x" } else { "-rw-r--r--" };
            assert!(line.starts_with(mode) && line.contains("root"), "{line}");
        }
        assert!(!listed.contains(&*one.0.to_string_lossy()), "{listed}");
    }

    #[test]
    fn an_archive_of_another_version_is_not_published() {
        let folder = TestFolder::new("smoke");
        let host = DistTarget::host().unwrap();
        for (version, is_good) in [(VERSION, true), ("0.0.9", false)] {
            let program = stand_in(&folder.0, version);
            assemble(&folder.0, "loopbreak-y", &program, &program, "licences").unwrap();
            let tried = try_archive(&folder.0, "loopbreak-y", &host);
            assert_eq!(tried.is_ok(), is_good, "{version}: {tried:?}");
        }
    }
}
