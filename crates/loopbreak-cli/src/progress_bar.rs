//! The progress bar for reading logs.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressStyle};
use loopbreak_trace::LogInput;

/// Smaller inputs are read before a bar could be seen.
const WORTH_A_BAR: u64 = 8 * 1024 * 1024;

/// Returns a progress bar for reading these logs. It is hidden if stderr is not a terminal.
pub(crate) fn reading_bar(inputs: &[LogInput], quiet: bool) -> ProgressBar {
    let total: u64 = inputs.iter().map(LogInput::size).sum();
    if quiet || total < WORTH_A_BAR || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(total);
    let template = "reading {wide_bar:.cyan/dim} {bytes} of {total_bytes}, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━━─"));
    }
    bar
}
