//! Sets up a run from its options, and runs it to its end.

use loopbreak::Config;
use loopbreak_store::default_path;
use loopbreak_watch::notification::NotifierSet;

use crate::autopilot::{RoadmapFile, TaskAutopilot, TaskRoadmap, guard_config};
use crate::error::RunError;
use crate::iterations::run_end::RunEndReason;
use crate::iterations::run_loop::RunLoop;
use crate::iterations::work_tree::WorkTree;
use crate::observer::RunObserver;
use crate::options::RunOptions;
use crate::process::guardian::GuardianStart;
use crate::process::interrupt_flag::InterruptFlag;
use crate::prompt::run_prompt::RunPrompt;
use crate::prompt::second_opinion::SecondOpinion;
use crate::recording::run_recorder::RunRecorder;

/// A run that is ready to start.
#[derive(Debug)]
pub struct LoopRunner<'o> {
    /// The options of the run.
    pub options: &'o RunOptions,
    /// The configuration of its guard.
    pub config: Config,
    /// The roadmap, if the run works through tasks.
    pub roadmap: Option<(RoadmapFile, TaskRoadmap)>,
    /// Notifiers for decisions that end the run or call a human.
    pub notifiers: NotifierSet,
    /// Shows the run to its user.
    pub observer: &'o dyn RunObserver,
}

impl LoopRunner<'_> {
    /// Runs the command until a guard, a promise or a human ends it.
    pub fn run(self) -> Result<RunEndReason, RunError> {
        let LoopRunner { options, config, roadmap, notifiers, observer } = self;
        let prompt = RunPrompt::new(options)?;
        let advisor =
            options.advisor.as_deref().map(|command| SecondOpinion::new(command, options.advisor_timeout));
        let advisor = advisor.transpose()?;
        if let Some(folder) = &options.log_dir {
            std::fs::create_dir_all(folder)
                .map_err(|error| RunError::failed(format!("--log-dir {}: {error}", folder.display())))?;
        }
        let interrupts = InterruptFlag::listen()?;
        let mut name = options.command.clone();
        name.extend(options.roadmap.iter().map(|path| format!("--roadmap {}", path.display())));
        let guard_settings = if roadmap.is_some() { guard_config(&config) } else { config.clone() };
        let (recorder, guard, runner_state) =
            RunRecorder::open(&name, &guard_settings, options.resume, observer)?;
        let config = guard.applied_config(&config);
        let guardian =
            options.guardian.clone().map(|words| GuardianStart { words, lock: recorder.shared_lock() });
        let store =
            default_path(|name| std::env::var_os(name)).and_then(|path| Some(path.parent()?.to_owned()));
        let own_paths = store.into_iter().chain(options.log_dir.clone()).chain(options.scratchpad.clone());
        let work_tree = WorkTree::new(std::env::current_dir().ok(), own_paths);
        let mut run_loop = RunLoop {
            options,
            config,
            prompt,
            notifiers,
            observer,
            advisor,
            interrupts,
            guardian,
            recorder,
            guard,
            runner_state,
            work_tree,
            human: None,
            promise_note: None,
            has_noted_promise: false,
            variables: Vec::new(),
            known_session_cost: 0.0,
        };
        let end = match (run_loop.begin(), roadmap) {
            (Some(end), _) => Ok(end),
            (None, Some((file, roadmap))) => {
                TaskAutopilot::new(&mut run_loop, file, &roadmap).and_then(|mut autopilot| autopilot.run())
            }
            (None, None) => run_loop.run(),
        };
        match end {
            Ok((ending, why)) => {
                let what = format!("{}: {why}", ending.as_str());
                run_loop.end(&what, ending.code());
                observer.message(&what);
                Ok(ending)
            }
            Err(error) => {
                run_loop.end(&format!("failed: {error}"), error.exit_code());
                Err(error)
            }
        }
    }
}
