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
        let watching = if roadmap.is_some() { guard_config(&config) } else { config.clone() };
        let (keeper, guard, kept) = RunRecorder::open(&name, &watching, options.resume, observer)?;
        let store =
            default_path(|name| std::env::var_os(name)).and_then(|path| Some(path.parent()?.to_owned()));
        let ours = store.into_iter().chain(options.log_dir.clone()).chain(options.scratchpad.clone());
        let work_tree = WorkTree::new(std::env::current_dir().ok(), ours);
        let mut course = RunLoop {
            options,
            config,
            prompt,
            notifiers,
            observer,
            advisor,
            interrupts,
            keeper,
            guard,
            kept,
            work_tree,
            human: None,
            variables: Vec::new(),
        };
        course.begin();
        let over = match roadmap {
            Some((file, roadmap)) => {
                TaskAutopilot::new(&mut course, file, &roadmap).and_then(|mut pilot| pilot.go())
            }
            None => course.go(),
        };
        match over {
            Ok((ending, why)) => {
                let what = format!("{}: {why}", ending.as_str());
                course.end(&what, ending.code());
                observer.message(&what);
                Ok(ending)
            }
            Err(error) => {
                course.end(&format!("failed: {error}"), error.exit_code());
                Err(error)
            }
        }
    }
}
