//! The trial as a whole.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::failing_call::{FailingCallScript, GuardedCalls, SCRIPTS, prompt};
use super::live_trial_error::LiveTrialError;
use super::live_trial_report::{LiveTrialEnding, LiveTrialReport};
use super::trial_process::TrialProcess;
use super::{LiveAgent, LiveSession, agents};
use crate::hook_agent::HookAgent;
use crate::install::find_program;
use crate::scripted_model::ScriptedServer;
use crate::temporary_folder::TemporaryFolder;

/// Time between two looks at the agent.
const TICK: Duration = Duration::from_millis(50);
/// Longest part of an output that is kept, in bytes.
const OUTPUT_BYTES: u64 = 1_000;
/// The files of the agent's output, in the folder of the session.
const OUTPUTS: [&str; 2] = ["stdout", "stderr"];

/// Follows a trial.
pub trait LiveTrialWatcher {
    /// Receives the number of requests so far, from time to time. The trial ends if it returns false.
    fn watch(&mut self, requests: usize, elapsed: Duration) -> bool;
}

impl<F: FnMut(usize, Duration) -> bool> LiveTrialWatcher for F {
    fn watch(&mut self, requests: usize, elapsed: Duration) -> bool {
        self(requests, elapsed)
    }
}

/// Starts the installed agent in a temporary home folder and project against a scripted model, lets it make the same
/// failing calls again and again, and reports when the hook spoke. Everything is removed at the end.
pub fn run_live_trial(
    agent: &'static dyn HookAgent,
    limit: Duration,
    watcher: &mut dyn LiveTrialWatcher,
) -> Result<LiveTrialReport, LiveTrialError> {
    let live = agents::find(agent.name()).ok_or(LiveTrialError::UnknownAgent(agent.title()))?;
    let program = find_program(agent.program()).ok_or(LiveTrialError::NoProgram(agent.program()))?;
    if !cfg!(unix) {
        return Err(LiveTrialError::NoProcessGroups);
    }
    let dialect = live.dialect().parse().map_err(|_| LiveTrialError::UnknownAgent(agent.title()))?;
    let model = ScriptedServer::start(FailingCallScript::new(dialect, live.ends_identical_calls()))
        .map_err(LiveTrialError::during("start the model"))?;
    let folder = TemporaryFolder::new("live").map_err(LiveTrialError::during("create a folder"))?;
    let session = LiveSession::new(folder.path(), model.url());
    prepare(live, &session).map_err(LiveTrialError::during("prepare the session"))?;
    install_hooks(agent, &session)?;
    let started = Instant::now();
    let ending = run_agent(live, &session, &program, &model, limit, watcher)
        .map_err(LiveTrialError::during("run the agent"))?;
    let seen = GuardedCalls::count(&model.exchanges());
    Ok(LiveTrialReport {
        program,
        requests: model.request_count(),
        calls: seen.made,
        told: seen.told,
        refused: seen.refused,
        has_called_hook: session.home.join(".local/state/loopbreak").exists(),
        ending,
        took: started.elapsed(),
        output: OUTPUTS.map(|name| last_words(&session.folder.join(name)).unwrap_or_default()).join("\n"),
    })
}

/// Creates the folders, the project, and the settings of the agent.
fn prepare(live: &dyn LiveAgent, session: &LiveSession) -> io::Result<()> {
    session.create_folders()?;
    fs::create_dir(temporary_files(session))?;
    for (name, text) in SCRIPTS {
        fs::write(session.project.join(name), text)?;
    }
    #[cfg(unix)]
    std::os::unix::fs::symlink(std::env::current_exe()?, session.bin.join("loopbreak"))?;
    for file in live.files(session) {
        let path = session.home.join(file.path);
        path.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(path, file.text)?;
    }
    Ok(())
}

/// Returns the folder for temporary files, so that they are removed with the session.
fn temporary_files(session: &LiveSession) -> std::path::PathBuf {
    session.folder.join("tmp")
}

/// Installs the hooks for the user whose home is the temporary folder, as a person would.
fn install_hooks(agent: &dyn HookAgent, session: &LiveSession) -> Result<(), LiveTrialError> {
    let failed = LiveTrialError::during("install the hooks");
    let program = std::env::current_exe().map_err(&failed)?;
    let mut command = session.command(&program);
    let output = command.args(["hook", "install", agent.name(), "--user"]).output().map_err(&failed)?;
    if output.status.success() {
        return Ok(());
    }
    Err(LiveTrialError::NotInstalled(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

/// Runs the agent until it ends, or until the time is used up or the user wants it to end.
fn run_agent(
    live: &dyn LiveAgent,
    session: &LiveSession,
    program: &Path,
    model: &ScriptedServer,
    limit: Duration,
    watcher: &mut dyn LiveTrialWatcher,
) -> io::Result<LiveTrialEnding> {
    let mut command = session.command(program);
    for name in ["TMPDIR", "TMP", "TEMP"] {
        command.env(name, temporary_files(session));
    }
    live.configure(session, &prompt(), &mut command);
    let [stdout, stderr] = OUTPUTS.map(|name| File::create(session.folder.join(name)));
    command.stdout(stdout?).stderr(stderr?);
    let mut agent = TrialProcess::start(&mut command)?;
    let started = Instant::now();
    loop {
        if agent.has_ended()? {
            return Ok(LiveTrialEnding::Finished);
        }
        if started.elapsed() > limit {
            return Ok(LiveTrialEnding::TimedOut);
        }
        if !watcher.watch(model.request_count(), started.elapsed()) {
            return Ok(LiveTrialEnding::Interrupted);
        }
        thread::sleep(TICK);
    }
}

/// Returns the end of a file.
fn last_words(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let start = file.metadata()?.len().saturating_sub(OUTPUT_BYTES);
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.take(OUTPUT_BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}
