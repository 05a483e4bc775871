//! Reads single keys from the terminal, and gives it back as it was.

use std::io::{self, Read as _};
use std::sync::{Arc, Mutex, PoisonError};

use super::watch_key::{WatchKey, parse_keys};

/// The settings of the terminal before it was changed, while it is changed.
type SavedSettings = Arc<Mutex<Option<system::TerminalSettings>>>;

/// Reads keys from standard input as they are pressed. Ctrl-C is still an interrupt. The terminal is as it was before when this is
/// dropped, also by a panic.
#[derive(Debug)]
pub struct TerminalKeys {
    saved: SavedSettings,
}

/// Gives the terminal back from another thread, before the program ends at once.
#[derive(Clone, Debug, Default)]
pub struct TerminalRestorer {
    saved: SavedSettings,
}

impl TerminalRestorer {
    /// Gives the terminal back, if it is changed.
    pub fn restore(&self) {
        restore(&self.saved);
    }

    /// Starts to read keys. Returns `None` if standard input is not a terminal, or the system does not support it. A program in the
    /// background of its terminal reads keys as soon as it is in the foreground.
    pub fn read_keys(&self) -> Option<TerminalKeys> {
        system::settings()?;
        let keys = TerminalKeys { saved: self.saved.clone() };
        keys.change();
        Some(keys)
    }
}

impl TerminalKeys {
    /// Returns the keys since the last call. Does not wait.
    pub fn read(&self) -> Vec<WatchKey> {
        // A program in the background that reads from its terminal is stopped. Before the terminal is changed, a read waits for a line.
        if !system::is_in_foreground() || !self.change() {
            return Vec::new();
        }
        let mut bytes = [0; 64];
        let count = io::stdin().lock().read(&mut bytes).unwrap_or(0);
        parse_keys(&bytes[..count])
    }

    /// Gives the terminal back and stops this program, as Ctrl-Z does. Returns when it is continued.
    pub fn suspend(&self) {
        restore(&self.saved);
        system::stop();
        self.change();
    }

    /// Lets the terminal pass on each key at once, without showing it. Returns whether it does.
    fn change(&self) -> bool {
        let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
        if saved.is_none() && system::is_in_foreground() {
            *saved = system::settings().filter(system::pass_on_keys);
        }
        saved.is_some()
    }
}

impl Drop for TerminalKeys {
    fn drop(&mut self) {
        restore(&self.saved);
    }
}

fn restore(saved: &SavedSettings) {
    if let Some(before) = saved.lock().unwrap_or_else(PoisonError::into_inner).take() {
        system::set(&before);
    }
}

#[cfg(unix)]
mod system {
    use std::io;

    use nix::sys::signal::{Signal, raise};
    pub(super) use nix::sys::termios::Termios as TerminalSettings;
    use nix::sys::termios::{
        _POSIX_VDISABLE, LocalFlags, SetArg, SpecialCharacterIndices, tcgetattr, tcsetattr,
    };
    use nix::unistd::{getpgrp, tcgetpgrp};

    /// Returns the settings of the terminal. `None` if standard input is not one.
    pub(super) fn settings() -> Option<TerminalSettings> {
        tcgetattr(io::stdin()).ok()
    }

    /// Changes the terminal from these settings, so that it passes on each key at once. Returns whether it does.
    pub(super) fn pass_on_keys(before: &TerminalSettings) -> bool {
        let mut settings = before.clone();
        settings.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO);
        // A read returns at once, with what there is.
        settings.control_chars[SpecialCharacterIndices::VMIN as usize] = 0;
        settings.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
        // Ctrl-Z and Ctrl-\ arrive as keys, so that the terminal can be given back first.
        settings.control_chars[SpecialCharacterIndices::VSUSP as usize] = _POSIX_VDISABLE;
        settings.control_chars[SpecialCharacterIndices::VQUIT as usize] = _POSIX_VDISABLE;
        set(&settings)
    }

    /// Changes the settings of the terminal. One that is gone needs none.
    pub(super) fn set(settings: &TerminalSettings) -> bool {
        tcsetattr(io::stdin(), SetArg::TCSANOW, settings).is_ok()
    }

    /// Stops this program until it is continued.
    pub(super) fn stop() {
        let _ = raise(Signal::SIGTSTP);
    }

    pub(super) fn is_in_foreground() -> bool {
        tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp())
    }
}

#[cfg(not(unix))]
mod system {
    /// Nothing: keys are not read on this system.
    pub(super) type TerminalSettings = ();

    pub(super) fn settings() -> Option<TerminalSettings> {
        None
    }

    pub(super) fn pass_on_keys(_: &TerminalSettings) -> bool {
        false
    }

    pub(super) fn set(_: &TerminalSettings) -> bool {
        false
    }

    pub(super) fn stop() {}

    pub(super) fn is_in_foreground() -> bool {
        false
    }
}
