//! The folders and settings of one session.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use loopbreak_hooks::live_trial::{LiveAgent, LiveSession};
use serde_json::Value;

use super::hook_recorder::HookRecorder;
use super::project_files::{ProjectFiles, write};
use super::session_part::PartVariant;
use crate::chore_failure::ChoreFailure;
use crate::process::{root, run_quietly};

/// One session: its folders, what is special about it, and where the model is.
pub(super) struct SessionSetup {
    /// The folder of everything below.
    pub(super) folder: PathBuf,
    /// The home folder.
    pub(super) home: PathBuf,
    /// The folder in which the agent works.
    pub(super) project: PathBuf,
    /// The program of the agent.
    pub(super) program: PathBuf,
    /// The address of the model.
    pub(super) model_url: String,
    /// The address to which the agent sends its telemetry, if it is recorded.
    pub(super) telemetry_url: Option<String>,
    /// The settings of the session.
    pub(super) variant: PartVariant,
    /// The program `loopbreak`.
    loopbreak: PathBuf,
    is_recorded: bool,
}

impl SessionSetup {
    /// Creates the folders and the files of the project.
    pub(super) fn create(
        folder: &Path,
        program: &Path,
        loopbreak: &Path,
        variant: PartVariant,
        is_recorded: bool,
    ) -> Result<(Self, ProjectFiles), ChoreFailure> {
        let setup = SessionSetup {
            folder: folder.to_owned(),
            home: folder.join("home"),
            project: folder.join("project"),
            program: program.to_owned(),
            model_url: String::new(),
            telemetry_url: None,
            variant,
            loopbreak: loopbreak.to_owned(),
            is_recorded,
        };
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(|error| ChoreFailure::io("remove an old session", &error))?;
        }
        for folder in [&setup.home, &setup.project, &setup.bin()] {
            fs::create_dir_all(folder)
                .map_err(|error| ChoreFailure::io(format_args!("create {}", folder.display()), &error))?;
        }
        let files = ProjectFiles::create(&setup.project, folder)?;
        if !variant.config.is_empty() {
            setup.write_home(".config/loopbreak/loopbreak.toml", variant.config)?;
        }
        if is_recorded {
            HookRecorder::new(folder).install(&setup.bin().join("loopbreak"), loopbreak)?;
        } else {
            std::os::unix::fs::symlink(loopbreak, setup.bin().join("loopbreak"))
                .map_err(|error| ChoreFailure::io("link loopbreak", &error))?;
        }
        Ok((setup, files))
    }

    /// The folder of programs that is first on the path.
    fn bin(&self) -> PathBuf {
        self.live().bin
    }

    /// Returns the session as the trials of `hook doctor` know it.
    pub(super) fn live(&self) -> LiveSession {
        LiveSession::new(&self.folder, self.model_url.clone())
    }

    /// Returns a command in the environment of the session: nothing of the caller's but the path, and no way to other
    /// machines for programs that obey the proxy settings.
    pub(super) fn command(&self, program: &Path) -> Command {
        self.live().command(program)
    }

    /// Returns the command that makes an agent work on a prompt.
    pub(super) fn agent_command(&self, agent: &dyn LiveAgent, prompt: &str) -> Command {
        let mut command = self.command(&self.program);
        agent.configure(&self.live(), prompt, &mut command);
        command
    }

    /// Writes the settings of an agent, after `change` was made to the first file.
    pub(super) fn write_settings(
        &self,
        agent: &dyn LiveAgent,
        change: impl FnOnce(&mut Value),
    ) -> Result<(), ChoreFailure> {
        let mut files = agent.files(&self.live());
        if let Some(first) = files.first_mut() {
            let mut settings = serde_json::from_str(&first.text)
                .map_err(|error| ChoreFailure::Failed(format!("cannot parse {}: {error}", first.path)))?;
            change(&mut settings);
            first.text = format!("{settings:#}\n");
        }
        files.iter().try_for_each(|file| self.write_home(file.path, &file.text))
    }

    /// Writes a file of the home folder.
    pub(super) fn write_home(&self, path: &str, text: &str) -> Result<(), ChoreFailure> {
        write(&self.home.join(path), text)
    }

    /// Installs the hooks as the guides say, and then once more for the user if the variant wants two installations.
    ///
    /// `settings` is the file that `hook install` writes, below the folder of the project and below the home folder.
    pub(super) fn install_hooks(&self, agent: &str, settings: &str) -> Result<(), ChoreFailure> {
        self.run_loopbreak(&["hook", "install", agent])?;
        self.put_recorder_into(&self.project.join(settings))?;
        if self.variant.two_installations {
            // Agents may drop a second hook with the same command.
            replace_in(&self.project.join(settings), &self.loopbreak.display().to_string(), "loopbreak")?;
            self.run_loopbreak(&["hook", "install", agent, "--user"])?;
            self.put_recorder_into(&self.home.join(settings))?;
        }
        Ok(())
    }

    /// Runs `loopbreak` in the environment of the session.
    pub(super) fn run_loopbreak(&self, arguments: &[&str]) -> Result<(), ChoreFailure> {
        run_quietly(self.command(&self.loopbreak).args(arguments))
    }

    /// Runs a command of the agent that manages plugins, at the root of the workspace.
    pub(super) fn run_plugin_command(&self, arguments: &[&str]) -> Result<(), ChoreFailure> {
        run_quietly(self.command(&self.program).args(arguments).current_dir(root()))
    }

    /// Makes the hooks of a settings file call the recorder, if there is one.
    fn put_recorder_into(&self, settings: &Path) -> Result<(), ChoreFailure> {
        if !self.is_recorded {
            return Ok(());
        }
        let recorder = self.bin().join("loopbreak");
        replace_in(settings, &self.loopbreak.display().to_string(), &recorder.display().to_string())
    }
}

fn replace_in(file: &Path, old: &str, new: &str) -> Result<(), ChoreFailure> {
    let failed = |error| ChoreFailure::io(format_args!("read {}", file.display()), &error);
    let text = fs::read_to_string(file).map_err(failed)?;
    write(file, &text.replace(old, new))
}
