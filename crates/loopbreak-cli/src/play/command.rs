//! From arguments to an episode, and to its exit code.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::LineWriter;
use std::time::{SystemTime, UNIX_EPOCH};

use loopbreak::{EpochMillis, Guard, Pattern};
use loopbreak_arena::{Ending, Halt, Moment, Orchestrator, Rules};

use super::args::PlayArgs;
use super::screen::Screen;
use super::seats::{self, Who};
use super::{plain, settings, view};
use crate::error::UserError;
use crate::{exit, output};

/// Plays one episode.
pub(crate) fn run(args: &PlayArgs) -> Result<u8, UserError> {
    let who = seats::who(args)?;
    let config = settings::load(args, who == Who::You)?;
    if let Some(path) = &args.journal {
        seats::spare_story("--journal", path, &args.story)?;
    }
    let halt = listen()?;
    let (mut world, story) = seats::world(args, &halt)?;
    let mut player = seats::player(args, who, &halt)?;
    let mut critic = seats::critic(args, who, &halt)?;
    let rules = Rules {
        max_turns: args.max_turns,
        // A person decides.
        rejections: if who == Who::You { 0 } else { Rules::default().rejections },
        failures: usize::try_from(args.max_failures).unwrap_or(usize::MAX),
        ..Rules::default()
    };
    let id = format!("{story}-{}-{}", player.name().replace(' ', "-"), args.seed);
    let live = output::is_terminal() && !args.plain && who != Who::You;
    let screen = live.then(|| RefCell::new(Screen::new(args.max_turns)));
    let failed = RefCell::new(None);
    let gone = Cell::new(false);
    let show = |moment: &Moment<'_>| {
        let Some(screen) = &screen else {
            match output::print_to_reader(&plain::lines(moment, who == Who::You)) {
                Ok(true) => {}
                Ok(false) => {
                    gone.set(true);
                    halt.set();
                }
                Err(error) => {
                    failed.borrow_mut().get_or_insert(error);
                    halt.set();
                }
            }
            return;
        };
        screen.borrow_mut().show(moment);
        if matches!(who, Who::BuiltIn(_)) && !halt.is_set() {
            std::thread::sleep(args.delay);
        }
    };
    let mut episode = Orchestrator::new(&mut *world, &mut *player, &mut *critic, Guard::new(config))
        .rules(rules)
        .halt(halt.clone())
        .view(show);
    // Whoever plays by a seed plays the same game every time, with the same times in its journal.
    if !matches!(who, Who::BuiltIn(_)) || args.world.is_some() {
        episode = episode.clock(Box::new(now));
    }
    if let Some(path) = &args.journal {
        let file = File::create(path)
            .map_err(|error| UserError::failed(format!("--journal {}: {error}", path.display())))?;
        // Line by line, so that others can follow it while the game goes on.
        episode = episode.journal(LineWriter::new(file));
    }
    let episode =
        episode.play(&id).map_err(|error| UserError::failed(format!("cannot write the journal: {error}")))?;
    if let Some(error) = failed.into_inner() {
        return Err(error);
    }
    output::print(&view::end(&episode))?;
    // A reader that has seen enough is no error.
    Ok(if gone.get() { exit::DONE } else { code(&episode.ending) })
}

fn code(ending: &Ending) -> u8 {
    match ending {
        Ending::Victory | Ending::Death | Ending::Left => exit::DONE,
        Ending::LoopBreak(Pattern::MaxIterations | Pattern::MaxRuntime | Pattern::MaxCost)
        | Ending::TurnLimit => exit::LIMIT,
        Ending::LoopBreak(Pattern::ConsecutiveErrors) | Ending::ModelFailed(_) => exit::ERRORS,
        Ending::LoopBreak(_) => exit::LOOP,
        Ending::Interrupted => exit::INTERRUPTED,
        Ending::Fault(_) => exit::FAILED,
    }
}

/// An interrupt ends the game where it stands: whoever waits for a model or a program looks at the sign.
fn listen() -> Result<Halt, UserError> {
    let halt = Halt::default();
    let sign = halt.clone();
    ctrlc::set_handler(move || sign.set())
        .map_err(|error| UserError::failed(format!("cannot listen for interrupts: {error}")))?;
    Ok(halt)
}

fn now() -> EpochMillis {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    EpochMillis(i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}
