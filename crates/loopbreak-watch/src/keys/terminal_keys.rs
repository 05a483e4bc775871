//! Reads single keys from the terminal, and gives it back as it was.

#[cfg(unix)]
mod system {
    use std::io::{self, Read as _};
    use std::sync::{Arc, Mutex, PoisonError};

    use nix::sys::signal::{Signal, raise};
    use nix::sys::termios::{
        _POSIX_VDISABLE, LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcgetattr, tcsetattr,
    };
    use nix::unistd::{getpgrp, tcgetpgrp};

    use super::super::watch_key::{WatchKey, parse_keys};

    /// The settings of the terminal before it was changed, while it is changed.
    type SavedSettings = Arc<Mutex<Option<Termios>>>;

    /// Reads keys from standard input as they are pressed. Ctrl-C is still an interrupt. The terminal is as it was before when this
    /// is dropped, also by a panic.
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

        /// Starts to read keys. Returns `None` if standard input is not a terminal. A program in the background of its terminal
        /// reads keys as soon as it is in the foreground.
        pub fn read_keys(&self) -> Option<TerminalKeys> {
            tcgetattr(io::stdin()).ok()?;
            let keys = TerminalKeys { saved: self.saved.clone() };
            keys.change();
            Some(keys)
        }
    }

    impl TerminalKeys {
        /// Returns the keys since the last call. Does not wait.
        pub fn read(&self) -> Vec<WatchKey> {
            // A program in the background that reads from its terminal is stopped.
            if !is_in_foreground() {
                return Vec::new();
            }
            self.change();
            let mut bytes = [0; 64];
            let count = io::stdin().lock().read(&mut bytes).unwrap_or(0);
            parse_keys(&bytes[..count])
        }

        /// Gives the terminal back and stops this program, as Ctrl-Z does. Returns when it is continued.
        pub fn suspend(&self) {
            restore(&self.saved);
            let _ = raise(Signal::SIGTSTP);
            if is_in_foreground() {
                self.change();
            }
        }

        /// Lets the terminal pass on each key at once, without showing it.
        fn change(&self) {
            let mut saved = self.saved.lock().unwrap_or_else(PoisonError::into_inner);
            if saved.is_some() || !is_in_foreground() {
                return;
            }
            let Ok(before) = tcgetattr(io::stdin()) else { return };
            let mut settings = before.clone();
            settings.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO);
            // A read returns at once, with what there is.
            settings.control_chars[SpecialCharacterIndices::VMIN as usize] = 0;
            settings.control_chars[SpecialCharacterIndices::VTIME as usize] = 0;
            // Ctrl-Z arrives as a key, so that the terminal can be given back first.
            settings.control_chars[SpecialCharacterIndices::VSUSP as usize] = _POSIX_VDISABLE;
            if tcsetattr(io::stdin(), SetArg::TCSANOW, &settings).is_ok() {
                *saved = Some(before);
            }
        }
    }

    impl Drop for TerminalKeys {
        fn drop(&mut self) {
            restore(&self.saved);
        }
    }

    fn restore(saved: &SavedSettings) {
        if let Some(before) = saved.lock().unwrap_or_else(PoisonError::into_inner).take() {
            // A terminal that is gone needs no settings.
            let _ = tcsetattr(io::stdin(), SetArg::TCSANOW, &before);
        }
    }

    fn is_in_foreground() -> bool {
        tcgetpgrp(io::stdin()).is_ok_and(|group| group == getpgrp())
    }
}

#[cfg(not(unix))]
mod system {
    use super::super::watch_key::WatchKey;

    /// Reads keys from standard input. Not available on this system.
    #[derive(Debug)]
    pub struct TerminalKeys {}

    /// Gives the terminal back.
    #[derive(Clone, Debug, Default)]
    pub struct TerminalRestorer {}

    impl TerminalRestorer {
        /// Does nothing: the terminal is never changed on this system.
        pub fn restore(&self) {}

        /// Always returns `None`: keys are not available on this system.
        pub fn read_keys(&self) -> Option<TerminalKeys> {
            None
        }
    }

    impl TerminalKeys {
        /// Returns no keys.
        pub fn read(&self) -> Vec<WatchKey> {
            Vec::new()
        }

        /// Does nothing.
        pub fn suspend(&self) {}
    }
}

pub use system::{TerminalKeys, TerminalRestorer};
