//! The search for thresholds: other settings on the same runs, judged by runs that were held out.

mod choose;
mod figures;
mod runs;
mod space;
mod text;
mod trials;

pub use choose::{Choice, FrontierPoint, Tried, choose};
pub use figures::{Figures, RunOutcome};
pub use runs::{KeptRun, replay};
pub use space::{Change, Dimension, SPACE, changed, shown, value_of, with_patience};
pub use text::{SCHEMA, Search, render};
pub use trials::{Trial, Trials};
