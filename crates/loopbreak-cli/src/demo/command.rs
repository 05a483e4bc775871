//! Plays the demonstration.

use std::time::{Duration, Instant};

use loopbreak_hooks::demo::{DemoMoment, play_demo};
use loopbreak_runner::InterruptFlag;

use super::args::DemoArgs;
#[cfg(unix)]
use super::key_reader::KeyReader;
use crate::error::UserError;
use crate::{config_loading, exit, output};

/// Widest lines. Longer ones are hard to read.
const MAX_WIDTH: usize = 100;
const TICK: Duration = Duration::from_millis(50);

/// Shows each moment, on a terminal with pauses.
pub(crate) fn run(args: &DemoArgs) -> Result<u8, UserError> {
    let settings = config_loading::guarded_settings(&args.config)?;
    let style = output::text_style();
    let width = style.width.min(MAX_WIDTH);
    let mut pauses = if output::is_terminal() { Some(DemoPauses::new()?) } else { None };
    let mut failure = None;
    let played = play_demo(&settings, &mut |moment| match output::print_to_reader(
        &moment.render(width, style.unicode),
    ) {
        Ok(is_read) => is_read && pauses.as_mut().is_none_or(|pauses| pauses.pause(moment)),
        Err(error) => {
            failure = Some(error);
            false
        }
    });
    let is_interrupted = pauses.is_some_and(|pauses| pauses.interrupts.is_interrupted());
    played.map_err(|error| UserError::failed(error.to_string()))?;
    match failure {
        Some(error) => Err(error),
        None => Ok(if is_interrupted { exit::INTERRUPTED } else { exit::DONE }),
    }
}

/// The pauses between moments, which a key ends.
struct DemoPauses {
    interrupts: InterruptFlag,
    #[cfg(unix)]
    keys: Option<KeyReader>,
    is_skipped: bool,
}

impl DemoPauses {
    fn new() -> Result<Self, UserError> {
        let interrupts = InterruptFlag::listen()?;
        #[cfg(unix)]
        let keys = KeyReader::open();
        #[cfg(unix)]
        if keys.is_some() {
            eprint_line!("(any key skips the pauses)\n");
        }
        Ok(DemoPauses {
            interrupts,
            #[cfg(unix)]
            keys,
            is_skipped: false,
        })
    }

    /// Waits until the moment can be read. Returns false if the user does not want to see the rest.
    fn pause(&mut self, moment: &DemoMoment) -> bool {
        let began = Instant::now();
        while !self.is_skipped && began.elapsed() < moment.pause() {
            if self.interrupts.is_interrupted() {
                return false;
            }
            self.is_skipped = self.wait_for_key();
        }
        !self.interrupts.is_interrupted()
    }

    /// Waits for a moment. Returns whether a key was pressed.
    fn wait_for_key(&self) -> bool {
        #[cfg(unix)]
        if let Some(keys) = &self.keys {
            return keys.is_pressed();
        }
        std::thread::sleep(TICK);
        false
    }
}
