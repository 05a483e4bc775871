//! Runs an agent repeatedly and returns the exit code.

use loopbreak_runner::{LoopRunner, RoadmapFile, RunOptions};
use loopbreak_watch::notification::NotifierSet;

use super::args::RunArgs;
use super::settings;
use super::terminal_observer::TerminalObserver;
use crate::error::UserError;

/// Runs the command until a guard, the completion promise or a human ends it.
pub(crate) fn run(args: &RunArgs) -> Result<u8, UserError> {
    let observer = &TerminalObserver { quiet: args.quiet };
    let roadmap = args.roadmap.as_deref().map(|path| RoadmapFile::open(path, observer)).transpose()?;
    let config = settings::load(args, roadmap.as_ref().map(|(_, roadmap)| roadmap.len()))?;
    let runner = LoopRunner {
        options: &options(args),
        config,
        roadmap,
        notifiers: NotifierSet::new(args.exec.as_deref(), &args.notify, false)?,
        observer,
    };
    Ok(runner.run()?.code())
}

fn options(args: &RunArgs) -> RunOptions {
    RunOptions {
        command: args.command.clone(),
        prompt_file: args.prompt_file.clone(),
        prompt: args.prompt.clone(),
        roadmap: args.roadmap.clone(),
        idle: args.idle,
        idle_longest: args.idle_longest,
        completion_promise: args.completion_promise.clone(),
        iteration_timeout: args.iteration_timeout,
        delay: args.delay,
        backoff: args.backoff,
        advisor: args.advisor.clone(),
        advisor_timeout: args.advisor_timeout,
        scratchpad: args.scratchpad.clone(),
        log_dir: args.log_dir.clone(),
        resume: args.resume,
        guardian: crate::guardian::words(),
    }
}
