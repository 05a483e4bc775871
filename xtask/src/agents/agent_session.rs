//! The process of an agent, from its start to its end.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use loopbreak_hooks::scripted_model::ScriptedServer;

use super::session_setup::SessionSetup;
use crate::chore_failure::ChoreFailure;

/// The requests after which a session is called endless.
const MAX_REQUESTS: usize = 80;

/// The user wants the chore to end.
static IS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Makes an interrupt end the running agent. It would not reach the agent, which has a process group of its own.
pub(super) fn end_on_interrupt() -> Result<(), ChoreFailure> {
    ctrlc::set_handler(|| IS_INTERRUPTED.store(true, Ordering::Relaxed))
        .map_err(|error| ChoreFailure::Failed(format!("cannot listen for interrupts: {error}")))
}

/// Returns whether the user wants the chore to end.
pub(super) fn is_interrupted() -> bool {
    IS_INTERRUPTED.load(Ordering::Relaxed)
}

/// Runs an agent until it ends, or until the time or the requests are used up. Calls `watch` from time to time with the
/// number of requests. Returns whether the agent had to be ended.
pub(super) fn run_agent(
    mut command: Command,
    setup: &SessionSetup,
    model: &ScriptedServer,
    limit: Duration,
    watch: &mut dyn FnMut(usize),
) -> Result<bool, ChoreFailure> {
    let file = |name: &str| {
        let path = setup.folder.join(name);
        File::create(&path)
            .map_err(|error| ChoreFailure::io(format_args!("create {}", path.display()), &error))
    };
    // A group of its own, so that what the agent started ends with it.
    command.stdin(Stdio::null()).stdout(file("stdout")?).stderr(file("stderr")?).process_group(0);
    let mut agent = command
        .spawn()
        .map_err(|error| ChoreFailure::io(format_args!("start {}", setup.program.display()), &error))?;
    let started = Instant::now();
    let was_ended = loop {
        match agent.try_wait() {
            Ok(Some(_)) => break false,
            Ok(None) => {}
            Err(error) => return Err(ChoreFailure::io("wait for the agent", &error)),
        }
        let requests = model.request_count();
        if started.elapsed() > limit || requests > MAX_REQUESTS || is_interrupted() {
            break true;
        }
        watch(requests);
        thread::sleep(Duration::from_millis(50));
    };
    end_group(&mut agent);
    Ok(was_ended)
}

/// Ends the agent and all processes that it started.
fn end_group(agent: &mut Child) {
    let group = format!("-{}", agent.id());
    let mut kill = Command::new("kill");
    _ = kill.args(["-KILL", "--", &group]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    _ = agent.wait();
}
