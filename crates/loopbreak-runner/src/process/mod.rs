//! One run of a command: its process group, its output, its end.

pub(crate) mod command_run;
pub(crate) mod guardian;
pub(crate) mod interrupt_flag;
mod output_capture;
mod pause_clock;
