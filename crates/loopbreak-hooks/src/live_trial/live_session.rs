//! The folders and the environment of a session.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A session of an agent with a scripted model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LiveSession {
    /// The folder of everything below.
    pub folder: PathBuf,
    /// The home folder.
    pub home: PathBuf,
    /// The folder in which the agent works.
    pub project: PathBuf,
    /// The folder of programs that is first on the path.
    pub bin: PathBuf,
    /// The address of the model.
    pub model_url: String,
}

/// A proxy that does not answer: nothing but the loopback address can be reached.
const PROXY_TO_NOWHERE: &str = "http://127.0.0.1:9";

impl LiveSession {
    /// Names the folders of a session. They are not created.
    pub fn new(folder: &Path, model_url: impl Into<String>) -> Self {
        LiveSession {
            folder: folder.to_owned(),
            home: folder.join("home"),
            project: folder.join("project"),
            bin: folder.join("bin"),
            model_url: model_url.into(),
        }
    }

    /// Creates the folders.
    pub fn create_folders(&self) -> io::Result<()> {
        [&self.home, &self.project, &self.bin].into_iter().try_for_each(fs::create_dir_all)
    }

    /// Returns a command in the environment of the session: nothing of the caller's but the path, and no way to other
    /// machines for programs that obey the proxy settings.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::iter::once(self.bin.clone()).chain(std::env::split_paths(&path));
        command
            .current_dir(&self.project)
            .env_clear()
            .env("PATH", std::env::join_paths(path).unwrap_or_default())
            .env("HOME", &self.home)
            .env("XDG_STATE_HOME", self.home.join(".local/state"))
            .env("TERM", "dumb")
            .env("LANG", "C.UTF-8")
            .env("HTTPS_PROXY", PROXY_TO_NOWHERE)
            .env("https_proxy", PROXY_TO_NOWHERE)
            .env("NO_PROXY", "127.0.0.1,localhost")
            .env("no_proxy", "127.0.0.1,localhost")
            .stdin(Stdio::null());
        command
    }
}
