//! The recording of one run for a page, made while the run is read, in bounded memory.

mod finding_facts;
mod guard_flags;
mod loop_bands;
mod progress_marks;
mod recorded_step;
mod run_recording;
mod step_sample;
mod tool_lane;
mod visible_text;

pub use guard_flags::GuardFlag;
pub use loop_bands::LoopBand;
pub use progress_marks::ProgressMark;
pub use recorded_step::RecordedStep;
pub use run_recording::{FinishedRecording, RunRecording};
pub use step_sample::{STEPS_A_RUN, SampleRank};
pub use visible_text::visible_text;
