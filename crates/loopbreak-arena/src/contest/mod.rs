//! Contests: many games with Loopbreak, and the same games without it. A contest measures whether Loopbreak helps,
//! what it destroys, and which part has which effect.
//!
//! [`GameContest`] plays the games, [`LoopObserver`] counts what happens in each, and [`ContestReport`] summarizes
//! them as a table, as JSON and as a page.

mod advice_contest;
mod chart_scale;
mod contest_report;
mod engine_part;
mod game_contest;
mod game_record;
mod intervals;
mod loop_observer;
mod page;
mod table;

pub use advice_contest::{AdviceContest, AdviceRow};
pub use contest_report::{AblationRow, ContestPlan, ContestReport, ContestTarget, PlayerRow};
pub use engine_part::EnginePart;
pub use game_contest::GameContest;
pub use game_record::GameRecord;
pub use intervals::{MeanInterval, ShareInterval};
pub use loop_observer::LoopObserver;
pub use page::render_page;
