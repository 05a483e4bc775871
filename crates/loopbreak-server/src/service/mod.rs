//! The service: guards of many runs for many clients, over HTTP.

mod step_sink;

pub use step_sink::{IngestError, IngestItem, InvalidProjectName, ProjectName, StepAnswer, StepSink};
