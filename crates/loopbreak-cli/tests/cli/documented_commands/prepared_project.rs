//! The project in which commands are run.

use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::support::{FinishedProgram, folder, root};

/// A time limit that no command reaches, even on a busy machine.
const LONG: Duration = Duration::from_mins(2);

/// A home folder with a project, made by `fixtures/documented-commands/prepare.sh`.
pub(super) struct PreparedProject {
    folder: tempfile::TempDir,
}

fn fixtures() -> PathBuf {
    root().canonicalize().unwrap().join("crates/loopbreak-cli/tests/fixtures/documented-commands")
}

impl PreparedProject {
    /// Makes the project, with what the commands of this page need besides.
    pub(super) fn for_page(page: &str) -> Self {
        let project = PreparedProject { folder: folder() };
        let own = fixtures().join("pages").join(page.replace('/', "-")).with_extension("sh");
        for script in [fixtures().join("prepare.sh"), own] {
            if script.exists() {
                let mut command = project.command("sh");
                command.current_dir(if project.shop().exists() {
                    project.shop()
                } else {
                    project.path().to_owned()
                });
                command.arg(&script).arg(root().canonicalize().unwrap()).arg(project.path());
                let output = command.output().unwrap();
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                assert!(output.status.success(), "{}: {text}", script.display());
            }
        }
        project
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn shop(&self) -> PathBuf {
        self.path().join("home/me/shop")
    }

    /// Returns a command with a clean environment. The stand-ins for other programs come first.
    fn command(&self, program: &str) -> Command {
        let own = assert_cmd::cargo::cargo_bin!("loopbreak").parent().unwrap().to_owned();
        let mut command = Command::new(program);
        let path =
            format!("{}:{}:/usr/local/bin:/usr/bin:/bin", fixtures().join("bin").display(), own.display());
        command.env_clear().env("PATH", path).env("HOME", self.path().join("home/me")).env("LANG", "C.UTF-8");
        // A busy machine may take longer than an agent should wait.
        command.env("LOOPBREAK_HOOK_TIMEOUT", "9000");
        command
    }

    fn shell(&self, command: &str) -> Command {
        let mut shell = self.command("bash");
        shell.args(["-c", command]).current_dir(self.shop());
        shell
    }

    /// Runs a command to its end. It reads `input`.
    pub(super) fn run(&self, command: &str, input: &str) -> FinishedProgram {
        let mut shell = assert_cmd::Command::from_std(self.shell(command));
        let output = shell.write_stdin(input).timeout(LONG).output().unwrap();
        FinishedProgram {
            out: self.place_free(&output.stdout),
            err: self.place_free(&output.stderr),
            code: output.status.code(),
        }
    }

    /// Runs a command until Ctrl-C: when it has printed `ready`, runs the script; when it has printed `until`, ends it.
    /// Returns both outputs as one, in the order in which they were printed.
    pub(super) fn run_until(&self, command: &str, ready: &str, script: &str, until: &str) -> FinishedProgram {
        let mut shell = self.shell(&format!("exec {command}"));
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        let (sender, lines) = channel();
        let readers = [
            forward(child.stdout.take().unwrap(), sender.clone()),
            forward(child.stderr.take().unwrap(), sender),
        ];
        let mut out = String::new();
        let mut seen = wait_for(&lines, ready, &mut out);
        if seen {
            assert!(self.shell(script).status().unwrap().success(), "{script}");
            seen = out.contains(until) || wait_for(&lines, until, &mut out);
        }
        if seen {
            let pid = child.id().to_string();
            assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        } else {
            let _ = child.kill();
        }
        let code = child.wait().unwrap().code();
        for reader in readers {
            reader.join().unwrap();
        }
        for line in &lines {
            out += &line;
            out.push('\n');
        }
        assert!(seen, "waited for {ready:?} and {until:?}; printed:\n{out}");
        FinishedProgram { out: self.place_free(out.as_bytes()), err: String::new(), code }
    }

    /// Returns an output without the folder that differs from run to run.
    fn place_free(&self, output: &[u8]) -> String {
        String::from_utf8_lossy(output).replace(self.path().to_str().unwrap(), "")
    }
}

fn forward(stream: impl Read + Send + 'static, sender: Sender<String>) -> JoinHandle<()> {
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    })
}

/// Keeps lines until one has this text. Returns false if there is none in time.
fn wait_for(lines: &Receiver<String>, wanted: &str, out: &mut String) -> bool {
    let end = Instant::now() + LONG;
    while let Ok(line) = lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
        *out += &(line + "\n");
        if out.lines().last().is_some_and(|line| line.contains(wanted)) {
            return true;
        }
    }
    false
}

#[test]
fn the_stand_ins_for_programs_can_be_started() {
    for entry in fs::read_dir(fixtures().join("bin")).unwrap() {
        let path = entry.unwrap().path();
        let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions());
        assert_ne!(mode & 0o111, 0, "{} is not executable", path.display());
    }
}
