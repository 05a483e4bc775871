//! From arguments to a run, and to its exit code.

use loopbreak_store::default_path;

use super::advisor::Advisor;
use super::args::RunArgs;
use super::autopilot::{Pilot, RoadmapFile};
use super::course::Course;
use super::interrupt::Interrupts;
use super::keep::{Keeper, say};
use super::notify::Told;
use super::prompt::Prompt;
use super::settings;
use super::work_tree::WorkTree;
use crate::error::UserError;

/// Runs the command until a guard, a promise or a human ends it.
pub(crate) fn run(args: &RunArgs) -> Result<u8, UserError> {
    let roadmap = args.roadmap.as_deref().map(RoadmapFile::open).transpose()?;
    let config = settings::load(args, roadmap.as_ref().map(|(_, roadmap)| roadmap.len()))?;
    let prompt = Prompt::new(args)?;
    let told = Told::new(args)?;
    let advisor = args.advisor.as_deref().map(|command| Advisor::new(command, args.advisor_timeout));
    let advisor = advisor.transpose()?;
    if let Some(folder) = &args.log_dir {
        std::fs::create_dir_all(folder)
            .map_err(|error| UserError::failed(format!("--log-dir {}: {error}", folder.display())))?;
    }
    let interrupts = Interrupts::listen()?;
    let mut name = args.command.clone();
    name.extend(args.roadmap.iter().map(|path| format!("--roadmap {}", path.display())));
    let watching = if roadmap.is_some() { settings::of_roadmap(&config) } else { config.clone() };
    let (keeper, guard, kept) = Keeper::open(&name, &watching, args.resume)?;
    let store = default_path(|name| std::env::var_os(name)).and_then(|path| Some(path.parent()?.to_owned()));
    let ours = store.into_iter().chain(args.log_dir.clone()).chain(args.scratchpad.clone());
    let work_tree = WorkTree::new(std::env::current_dir().ok(), ours);
    let mut course = Course {
        args,
        config,
        prompt,
        told,
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
        Some((file, roadmap)) => Pilot::new(&mut course, file, &roadmap).and_then(|mut pilot| pilot.go()),
        None => course.go(),
    };
    match over {
        Ok((ending, why)) => {
            let what = format!("{}: {why}", ending.as_str());
            course.end(&what, ending.code());
            say(&what);
            Ok(ending.code())
        }
        Err(error) => {
            course.end(&format!("failed: {error}"), error.code);
            Err(error)
        }
    }
}
