//! Pictures of the dashboard of `loopbreak serve`, taken by a real browser from a real server with example runs.
//!
//! - `example_fleet`: the runs
//! - `served_dashboard`: the server
//! - `page_browser`: the browser
//! - `take_pictures`: the pictures

mod example_fleet;
mod page_browser;
mod served_dashboard;
mod take_pictures;

pub(crate) use take_pictures::take_pictures;
