//! Many games with Loopbreak, and the same games without: does it help, what does it spoil, and which part does what?

mod chart_scale;
mod contest_report;
mod engine_part;
mod game_contest;
mod game_record;
mod intervals;
mod loop_observer;
mod page;
mod table;

pub use contest_report::{AblationRow, ContestPlan, ContestReport, ContestTarget, PlayerRow};
pub use engine_part::EnginePart;
pub use game_contest::GameContest;
pub use game_record::GameRecord;
pub use intervals::{MeanInterval, ShareInterval};
pub use loop_observer::LoopObserver;
pub use page::render_page;
