//! Tests of the arena through its public interface.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

#[path = "../support/frotz.rs"]
#[expect(unreachable_pub, reason = "an example uses it too")]
mod frotz;
#[path = "../support/server.rs"]
#[expect(unreachable_pub, reason = "the tests of the command line use it too")]
mod server;

mod endpoint;
mod episodes;
mod failures;
mod frotz_transcripts;
mod hostile;
mod jericho;
mod programs;
mod story;
