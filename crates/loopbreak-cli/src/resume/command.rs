//! Resumes the agents of runs.

use loopbreak_process::{ResumeResult, RunSignal, SignalSender, paused_runs};
use loopbreak_store::{Store, select_session};

use super::args::ResumeArgs;
use crate::error::UserError;
use crate::output::printable;
use crate::store::{no_such_run, open_user_store};
use crate::{exit, output};

pub(crate) fn run(args: &ResumeArgs) -> Result<u8, UserError> {
    let nothing = || {
        UserError::failed("no agent is paused")
            .hint("an agent that was stopped in its terminal continues there: type `fg`")
    };
    let Some(mut store) = open_user_store()? else {
        return Err(args.run.as_deref().map_or_else(nothing, no_such_run));
    };
    let signals = match &args.run {
        Some(name) => vec![RunSignal::select(&*store, select_session(store.find(name)?, name)?)?],
        None => paused_runs(&*store)?.into_iter().map(|(run, _)| RunSignal::new(run)).collect(),
    };
    if signals.is_empty() {
        return Err(nothing());
    }
    if signals.len() > 1 && !args.all {
        let names: Vec<String> = signals.iter().map(|signal| printable(&signal.run().session)).collect();
        return Err(UserError::usage(format!("{} agents are paused: {}", names.len(), names.join(", ")))
            .hint("name one of them, or use --all"));
    }
    let mut code = exit::DONE;
    for signal in &signals {
        code = code.max(resume(&mut *store, signal).unwrap_or_else(|error| {
            error.print();
            error.code
        }));
    }
    Ok(code)
}

fn resume(store: &mut dyn Store, signal: &RunSignal) -> Result<u8, UserError> {
    let name = printable(&signal.run().session);
    let result = signal.resume(store, SignalSender { name: "resume", reason: "" })?;
    match result {
        Some(ResumeResult::Runs) => output::print(&format!("resumed {name}\n"))?,
        None => output::print(&format!("{name} runs already\n"))?,
        Some(_) => {
            return Err(UserError::failed(format!("{name} is in the background of its terminal"))
                .hint("type `fg` in the terminal of the agent"));
        }
    }
    Ok(exit::DONE)
}
