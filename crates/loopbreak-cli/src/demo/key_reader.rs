//! Keys that are pressed on the terminal.

use std::io::{self, IsTerminal as _, Read as _};

use nix::sys::termios::{LocalFlags, SetArg, SpecialCharacterIndices, Termios, tcgetattr, tcsetattr};
use nix::unistd::{getpgrp, tcgetpgrp};

/// Longest wait for a key, in tenths of a second.
const WAIT_TENTHS: u8 = 1;

/// Reads keys as they are pressed. The terminal gets its settings back when this is dropped.
pub(super) struct KeyReader {
    before: Termios,
}

impl KeyReader {
    /// Changes the terminal at standard input. Returns `None` if it is not one, or belongs to another program.
    pub(super) fn open() -> Option<Self> {
        let stdin = io::stdin();
        // A program in the background that changed the terminal would be stopped.
        if !stdin.is_terminal() || tcgetpgrp(&stdin).ok()? != getpgrp() {
            return None;
        }
        let before = tcgetattr(&stdin).ok()?;
        let mut settings = before.clone();
        settings.local_flags.remove(LocalFlags::ICANON | LocalFlags::ECHO);
        settings.control_chars[SpecialCharacterIndices::VMIN as usize] = 0;
        settings.control_chars[SpecialCharacterIndices::VTIME as usize] = WAIT_TENTHS;
        // Ctrl-C still interrupts, and everything is put back then. A suspended program could not do that.
        settings.control_chars[SpecialCharacterIndices::VSUSP as usize] = 0;
        tcsetattr(&stdin, SetArg::TCSANOW, &settings).ok()?;
        Some(KeyReader { before })
    }

    /// Waits for a key, for a tenth of a second at most.
    #[expect(clippy::unused_self, reason = "keys arrive one by one only while the terminal is changed")]
    pub(super) fn is_pressed(&self) -> bool {
        io::stdin().lock().read(&mut [0; 64]).is_ok_and(|count| count > 0)
    }
}

impl Drop for KeyReader {
    fn drop(&mut self) {
        // What was typed is for nobody.
        let _ = tcsetattr(io::stdin(), SetArg::TCSAFLUSH, &self.before);
    }
}
