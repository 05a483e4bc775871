//! A watch that runs while a test writes logs.

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// A time limit that no test reaches, even on a busy machine.
const LONG: Duration = Duration::from_mins(2);

pub(crate) struct WatchProcess {
    child: Child,
    out: Receiver<String>,
    err: Receiver<String>,
}

/// Starts a watch and waits until it has read the existing logs.
pub(crate) fn watch(folder: &Path, args: &[&str]) -> WatchProcess {
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("loopbreak"))
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .arg("watch")
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let out = read_lines(child.stdout.take().unwrap());
    let err = read_lines(child.stderr.take().unwrap());
    let watching = WatchProcess { child, out, err };
    watching.wait_for_message("watching ");
    watching
}

fn read_lines(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    receiver
}

fn wait_for_line(lines: &Receiver<String>, wanted: &str) -> String {
    let end = Instant::now() + LONG;
    let mut others = Vec::new();
    while let Ok(line) = lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
        if line.contains(wanted) {
            return line;
        }
        others.push(line);
    }
    panic!("waited for {wanted:?}, read {others:#?}");
}

impl WatchProcess {
    pub(crate) fn wait_for_notification(&self, wanted: &str) -> String {
        wait_for_line(&self.out, wanted)
    }

    pub(crate) fn wait_for_message(&self, wanted: &str) -> String {
        wait_for_line(&self.err, wanted)
    }

    /// Asserts that nothing is reported while the files are checked a few times.
    pub(crate) fn assert_silent(&self) {
        let line = self.out.recv_timeout(Duration::from_millis(700));
        assert!(line.is_err(), "{line:?}");
    }

    /// Ends the watch as Ctrl-C does and returns the exit code and the summary.
    pub(crate) fn interrupt(mut self) -> (Option<i32>, String) {
        let kill = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        let summary = self.wait_for_message("watched ");
        (self.child.wait().unwrap().code(), summary)
    }

    /// Ends the watch as Ctrl-C does and returns the summary and the notifications that were not read yet.
    pub(crate) fn end(mut self) -> (String, Vec<serde_json::Value>) {
        let kill = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        let summary = self.wait_for_message("watched ");
        assert_eq!(self.child.wait().unwrap().code(), Some(130));
        (summary, self.out.iter().map(|line| serde_json::from_str(&line).unwrap()).collect())
    }
}

impl Drop for WatchProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

/// Returns the lines of a run without progress.
pub(crate) fn without_progress(run: &str, turns: std::ops::RangeInclusive<u64>) -> String {
    turns.flat_map(|turn| [format!(r#"{{"run":"{run}","turn":{turn},"score":3}}"#), "\n".into()]).collect()
}
