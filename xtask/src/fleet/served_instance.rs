//! A running server.

use std::fs::{self, File};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::http_connection::HttpConnection;
use crate::chore_failure::ChoreFailure;

/// The token of the owner.
pub(super) const TOKEN: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
/// Longest time for a start.
const LONGEST: Duration = Duration::from_mins(1);

/// A server that was started, and that is killed at the end.
pub(super) struct ServedInstance {
    process: Child,
    said: PathBuf,
}

/// Everything that is needed to start a server.
#[derive(Clone, Debug)]
pub(super) struct InstancePlan {
    pub(super) program: PathBuf,
    /// Folder for the state and the output of the server.
    pub(super) home: PathBuf,
    /// The store, as `--store` takes it.
    pub(super) store: String,
    /// Further options.
    pub(super) options: Vec<String>,
    /// A program with its arguments that starts the server.
    pub(super) wrapper: Vec<String>,
}

impl InstancePlan {
    /// Returns the plan of a server with a store.
    pub(super) fn new(program: &Path, home: PathBuf, store: String) -> Self {
        let options = ["--rate", "10000000", "--keep", "0"].map(str::to_owned).into();
        InstancePlan { program: program.to_owned(), home, store, options, wrapper: Vec::new() }
    }

    /// Adds an option.
    pub(super) fn with_option(mut self, name: &str, value: usize) -> Self {
        self.options.extend([name.to_owned(), value.to_string()]);
        self
    }

    /// Starts the server, and does not wait for it.
    pub(super) fn start(&self) -> Result<ServedInstance, ChoreFailure> {
        let failed = |error: std::io::Error| ChoreFailure::io("start `loopbreak serve`", &error);
        fs::create_dir_all(&self.home).map_err(failed)?;
        let said = self.home.join("said");
        let output = File::create(&said).map_err(failed)?;
        // The server ends with this thread, also if that is killed.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig=KILL", "--"]).args(&self.wrapper).arg(&self.program);
        let process = command
            .args(["serve", "--http", "127.0.0.1:0", "--store", &self.store])
            .args(&self.options)
            .current_dir(&self.home)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", &self.home)
            .env("XDG_STATE_HOME", self.home.join("state"))
            .env("LOOPBREAK_TOKEN", TOKEN)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(output)
            .spawn()
            .map_err(failed)?;
        Ok(ServedInstance { process, said })
    }
}

impl ServedInstance {
    /// Waits until the server listens, and returns its address.
    pub(super) fn address(&mut self) -> Result<SocketAddr, ChoreFailure> {
        let started = Instant::now();
        loop {
            let said = self.said();
            let address = said.lines().find_map(|line| line.split_once("http://")?.1.parse().ok());
            if let Some(address) = address.filter(|_| said.contains('\n')) {
                return Ok(address);
            }
            let ended = self.process.try_wait().ok().flatten();
            if ended.is_some() || started.elapsed() > LONGEST {
                let said = said.trim();
                return Err(ChoreFailure::Failed(format!("`loopbreak serve` does not start: {said}")));
            }
            sleep(Duration::from_millis(2));
        }
    }

    /// Returns what the server printed.
    pub(super) fn said(&self) -> String {
        fs::read_to_string(&self.said).unwrap_or_default()
    }

    /// Returns whether the server still runs.
    pub(super) fn is_running(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    /// Ends the server at once.
    pub(super) fn kill(mut self) {
        self.end();
    }

    /// Stops the server in the middle of what it does, or lets it continue.
    pub(super) fn pause(&self, is_paused: bool) {
        let signal = if is_paused { "-STOP" } else { "-CONT" };
        let _ = Command::new("kill").args([signal, &self.process.id().to_string()]).status();
    }

    /// Returns the memory of the server, in megabytes.
    pub(super) fn memory(&self) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
        kilobytes.unwrap_or(0.0) / 1024.0
    }

    fn end(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for ServedInstance {
    fn drop(&mut self) {
        self.end();
    }
}

/// Returns a connection to a server, for the owner.
pub(super) fn owner_connection(address: SocketAddr, patience: Duration) -> HttpConnection {
    HttpConnection::new(address, TOKEN, patience)
}
