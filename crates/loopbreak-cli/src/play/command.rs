//! Plays one episode and returns its exit code.

use std::cell::{Cell, RefCell};
use std::io::LineWriter;
use std::time::{SystemTime, UNIX_EPOCH};

use loopbreak::{Guard, step::EpochMillis};
use loopbreak_arena::terminal::{GameScreen, render_event, render_result};
use loopbreak_arena::{CancelFlag, EpisodeEvent, EpisodeOrchestrator, EpisodeRules};

use super::args::PlayArgs;
use super::player_choice::{PlayerChoice, player_choice};
use super::{participants, settings};
use crate::error::UserError;
use crate::games::refuse_to_overwrite_story;
use crate::{exit, output};

/// Runs the command.
pub(crate) fn run(args: &PlayArgs) -> Result<u8, UserError> {
    let choice = player_choice(args)?;
    let config = settings::load(args, choice == PlayerChoice::You)?;
    if let Some(path) = &args.journal {
        refuse_to_overwrite_story("--journal", path, &args.story)?;
    }
    let cancel = cancel_on_interrupt()?;
    let (mut world, story) = participants::create_world(args, &cancel)?;
    let mut player = participants::create_player(args, choice, &cancel)?;
    let mut critic = participants::create_critic(args, choice, &cancel)?;
    let rules = EpisodeRules {
        max_turns: args.max_turns,
        // A person decides for themselves.
        rejections: if choice == PlayerChoice::You { 0 } else { EpisodeRules::default().rejections },
        failures: usize::try_from(args.max_failures).unwrap_or(usize::MAX),
        ..EpisodeRules::default()
    };
    let id = format!("{story}-{}-{}", player.name().replace(' ', "-"), args.seed);
    let live = output::is_terminal() && !args.plain && choice != PlayerChoice::You;
    let screen = live.then(|| RefCell::new(GameScreen::new(args.max_turns)));
    let failed = RefCell::new(None);
    let has_reader = Cell::new(true);
    let show = |event: &EpisodeEvent<'_>| {
        let Some(screen) = &screen else {
            match output::print_to_reader(&render_event(event, choice == PlayerChoice::You)) {
                Ok(true) => {}
                Ok(false) => {
                    has_reader.set(false);
                    cancel.cancel();
                }
                Err(error) => {
                    failed.borrow_mut().get_or_insert(error);
                    cancel.cancel();
                }
            }
            return;
        };
        // The game continues if the terminal is gone.
        let _ = output::print(&screen.borrow_mut().update(event, output::terminal_size()));
        if matches!(choice, PlayerChoice::BuiltIn(_)) && !cancel.is_cancelled() {
            std::thread::sleep(args.delay);
        }
    };
    let mut episode = EpisodeOrchestrator::new(&mut *world, &mut *player, &mut *critic, Guard::new(config))
        .rules(rules)
        .cancel(cancel.clone())
        .view(show);
    // A game with a seed is the same every time, including the times in its journal.
    if !matches!(choice, PlayerChoice::BuiltIn(_)) || args.world.is_some() {
        episode = episode.clock(Box::new(now));
    }
    if let Some(path) = &args.journal {
        let file = output::open_output(path)
            .map_err(|error| UserError::failed(format!("--journal {}: {error}", path.display())))?;
        // Line by line, so that others can follow it during the game.
        episode = episode.journal(LineWriter::new(file));
    }
    let episode =
        episode.play(&id).map_err(|error| UserError::failed(format!("cannot write the journal: {error}")))?;
    if let Some(error) = failed.into_inner() {
        return Err(error);
    }
    output::print(&render_result(&episode))?;
    // A closed pipe is not an error.
    Ok(if has_reader.get() { episode.ending.exit_code() } else { exit::DONE })
}

/// Returns a flag that an interrupt sets. Everything that waits for a model or a program checks it.
fn cancel_on_interrupt() -> Result<CancelFlag, UserError> {
    let cancel = CancelFlag::default();
    let handle = cancel.clone();
    ctrlc::set_handler(move || handle.cancel())
        .map_err(|error| UserError::failed(format!("cannot listen for interrupts: {error}")))?;
    Ok(cancel)
}

fn now() -> EpochMillis {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    EpochMillis(i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}
