//! `loopbreak run --roadmap`: works through tasks, one at a time. The engine says when a task goes round in circles, the
//! store's `tasks` which one comes next; here the command is started, asked what came of it, and told what to do next.

mod attempt;
mod brief;
mod check;
mod close;
mod file;
mod pilot;
mod report;
mod roadmap;
mod traffic;

pub(super) use file::RoadmapFile;
pub(super) use pilot::Pilot;
