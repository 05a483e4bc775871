//! Prints the status line.

use std::io::{self, IsTerminal as _};

use loopbreak_hooks::status_line::{StatusLineInput, read_status_input, render_status_line};
use loopbreak_store::{StoreUrl, default_path};

use super::args::StatuslineArgs;
use crate::{exit, output};

/// Prints the line. It does not fail: Claude Code would show nothing at all.
pub(crate) fn run(args: &StatuslineArgs) -> u8 {
    let json = if io::stdin().is_terminal() {
        eprint_line!("loopbreak: Claude Code starts this command; see `loopbreak statusline --help`");
        Vec::new()
    } else {
        read_status_input(io::stdin())
    };
    let line = render_status_line(StatusLineInput {
        json,
        store: default_path(|name| std::env::var_os(name)).map(StoreUrl::from),
        disabled: std::env::var_os("LOOPBREAK").is_some_and(|mode| mode == "off"),
        unicode: output::text_style().unicode,
        wrap: args.wrap.clone(),
        first: args.first,
    });
    if !line.is_empty() {
        // The other status line may have colours, which Claude Code shows.
        let _ = output::write_plain(format!("{line}\n").as_bytes());
    }
    exit::DONE
}
