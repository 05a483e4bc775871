//! The project in which commands are run.

use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
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
    pub(super) fn run_until(&self, command: &str, ready: &str, script: &str, until: &str) -> FinishedProgram {
        let mut shell = self.shell(&format!("exec {command}"));
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = shell.spawn().unwrap();
        let (sender, lines) = channel();
        let readers = [
            forward(child.stdout.take().unwrap(), false, sender.clone()),
            forward(child.stderr.take().unwrap(), true, sender),
        ];
        let (mut out, mut err) = (String::new(), String::new());
        let mut seen = wait_for(&lines, ready, &mut out, &mut err);
        if seen {
            assert!(self.shell(script).status().unwrap().success(), "{script}");
            seen = until == ready || out.contains(until) || err.contains(until);
            seen = seen || wait_for(&lines, until, &mut out, &mut err);
        }
        if seen {
            let pid = child.id().to_string();
            assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        } else {
            let _ = child.kill();
        }
        let code = child.wait().unwrap().code();
        readers.into_iter().for_each(|reader| reader.join().unwrap());
        lines.iter().for_each(|(is_error, line)| keep(is_error, &line, &mut out, &mut err));
        assert!(seen, "waited for {ready:?} and {until:?}; printed:\n{out}{err}");
        FinishedProgram { out: self.place_free(out.as_bytes()), err: self.place_free(err.as_bytes()), code }
    }

    /// Returns an output without the folder that differs from run to run.
    fn place_free(&self, output: &[u8]) -> String {
        String::from_utf8_lossy(output).replace(self.path().to_str().unwrap(), "")
    }
}

fn forward(
    stream: impl Read + Send + 'static,
    is_error: bool,
    sender: std::sync::mpsc::Sender<(bool, String)>,
) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let _ = sender.send((is_error, line));
        }
    })
}

/// Keeps lines until one has this text. Returns false if there is none in time.
fn wait_for(lines: &Receiver<(bool, String)>, wanted: &str, out: &mut String, err: &mut String) -> bool {
    let end = Instant::now() + LONG;
    while let Ok((is_error, line)) = lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
        keep(is_error, &line, out, err);
        if line.contains(wanted) {
            return true;
        }
    }
    false
}

fn keep(is_error: bool, line: &str, out: &mut String, err: &mut String) {
    let stream = if is_error { err } else { out };
    stream.push_str(line);
    stream.push('\n');
}

#[test]
fn the_stand_ins_for_programs_can_be_started() {
    for entry in fs::read_dir(fixtures().join("bin")).unwrap() {
        let path = entry.unwrap().path();
        let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions());
        assert_ne!(mode & 0o111, 0, "{} is not executable", path.display());
    }
}
