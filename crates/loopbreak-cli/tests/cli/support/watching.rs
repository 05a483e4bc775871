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
    let out = lines(child.stdout.take().unwrap());
    let err = lines(child.stderr.take().unwrap());
    let watching = WatchProcess { child, out, err };
    watching.says("watching ");
    watching
}

fn lines(stream: impl std::io::Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stream).lines().map_while(Result::ok) {
            let _ = sender.send(line);
        }
    });
    receiver
}

fn until(lines: &Receiver<String>, wanted: &str) -> String {
    let end = Instant::now() + LONG;
    let mut seen = Vec::new();
    while let Ok(line) = lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
        if line.contains(wanted) {
            return line;
        }
        seen.push(line);
    }
    panic!("waited for {wanted:?}, saw {seen:#?}");
}

impl WatchProcess {
    pub(crate) fn tells(&self, wanted: &str) -> String {
        until(&self.out, wanted)
    }

    pub(crate) fn says(&self, wanted: &str) -> String {
        until(&self.err, wanted)
    }

    /// Asserts that nothing is reported while the files are checked a few times.
    pub(crate) fn is_silent(&self) {
        let line = self.out.recv_timeout(Duration::from_millis(700));
        assert!(line.is_err(), "{line:?}");
    }

    /// Ends the watch as Ctrl-C does and returns the exit code and the summary.
    pub(crate) fn interrupt(mut self) -> (Option<i32>, String) {
        let kill = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        let closing = self.says("watched ");
        (self.child.wait().unwrap().code(), closing)
    }

    /// Ends the watch as Ctrl-C does and returns the summary and the notifications that were not read yet.
    pub(crate) fn end(mut self) -> (String, Vec<serde_json::Value>) {
        let kill = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(kill.success());
        let closing = self.says("watched ");
        assert_eq!(self.child.wait().unwrap().code(), Some(130));
        (closing, self.out.iter().map(|line| serde_json::from_str(&line).unwrap()).collect())
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
pub(crate) fn still(run: &str, turns: std::ops::RangeInclusive<u64>) -> String {
    turns.flat_map(|turn| [format!(r#"{{"run":"{run}","turn":{turn},"score":3}}"#), "\n".into()]).collect()
}
