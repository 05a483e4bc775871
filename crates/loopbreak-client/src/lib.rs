//! A client of the Loopbreak service, for adapters that an agent waits for.
//!
//! The service is asked within a deadline. Whatever goes wrong, the caller gets no answer and lets the local guard decide.
//!
//! - [`ServerOptions`] has the address, the token and the time for an answer, from settings and variables.
//! - [`ServerClient`] makes one request.
//! - [`ServerLink`] sends the steps that wait in the store in order, asks about actions, and leaves a service alone that does not
//!   answer.
//! - [`ServerVerdict`] and [`ServerRuling`] are answers. Their texts are bounded and have no characters that cannot be seen.

mod foreign_text;
mod server_address;
mod server_certificates;
mod server_client;
mod server_failure;
mod server_link;
mod server_options;
mod server_secret;
mod server_verdict;
mod unsent_run;

pub use server_address::{ServerAddress, ServerAddressError};
pub use server_client::{ServerClient, ServerGreeting};
pub use server_failure::ServerFailure;
pub use server_link::{SentSteps, ServerCall, ServerLink};
pub use server_options::{
    SERVER_TIMEOUT_VARIABLE, SERVER_TOKEN_VARIABLE, SERVER_VARIABLE, ServerOptions, ServerOptionsError,
};
pub use server_secret::ServerSecret;
pub use server_verdict::{ServerAdjustment, ServerIntervention, ServerRuling, ServerVerdict};
pub use unsent_run::UnsentRun;
