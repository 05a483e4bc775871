//! The page of known loops: complaints about other loop detectors, what the agents did, and what Loopbreak says at which
//! step. Everything on it comes from the tests of the engine that are named after the complaints.

mod complaint_tests;
mod known_loops_page;
mod played_runs;

pub(crate) use known_loops_page::render;
