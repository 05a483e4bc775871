//! What a page shows of one run, gathered as the run is read, in bounded memory.

mod guard_flags;
mod loop_bands;
mod progress_marks;
mod recorded_step;
mod run_recording;
mod step_sample;
mod tool_lane;
mod visible_text;

pub use guard_flags::Flag;
pub use loop_bands::Band;
pub use progress_marks::Mark;
pub use recorded_step::Row;
pub use run_recording::{FinishedRecording, Recording};
pub use step_sample::{Rank, STEPS_A_RUN};
pub use visible_text::clean;
