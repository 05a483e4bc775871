//! Pauses the agent of a run.

use loopbreak_process::{RunSignal, SignalSender};
use loopbreak_store::select_session;

use super::args::PauseArgs;
use crate::error::UserError;
use crate::output::printable;
use crate::store::{no_such_run, open_user_store};
use crate::{exit, output};

pub(crate) fn run(args: &PauseArgs) -> Result<u8, UserError> {
    let mut store = open_user_store()?.ok_or_else(|| no_such_run(&args.run))?;
    let runs = select_session(store.find(&args.run)?, &args.run)?;
    let signal = RunSignal::select(&*store, runs)?;
    let group = signal.pause(&mut *store, SignalSender { name: "pause", reason: &args.reason })?;
    let (agent, name) = (group.agent(), printable(&signal.run().session));
    let fg = if group.is_job_of_shell() { ", then type `fg` in its terminal" } else { "" };
    output::print(&format!(
        "paused {name}: {} (process {}); to continue: loopbreak resume {name}{fg}\n",
        printable(&agent.name),
        agent.pid
    ))?;
    Ok(exit::DONE)
}
