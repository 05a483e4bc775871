//! Keys on the terminal: the user selects a run and acts on it.

mod key_control;
mod terminal_keys;
mod watch_key;

pub use key_control::KeyControl;
pub use terminal_keys::{TerminalKeys, TerminalRestorer};
pub use watch_key::{WatchKey, parse_keys};
