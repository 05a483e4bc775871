//! One meaning, for all detectors, of what a step says.
//!
//! | part | decides |
//! |---|---|
//! | `spelling` | which call an action is, however the log spells it |
//! | `failure` | whether an action failed, and whether the agent could have done anything about it |
//! | `result_reason` | the sign that decided it |
//! | `user_word` | whether a human spoke, or the harness sent the agent on |
//! | `attempt` | which calls are one decision |
//! | `question` | what a search asks, apart from where it asks |
//! | `envelope` | which part of an iteration's output is its message |
//! | `waiting` | whether a call only waits |
//! | `mutated_object` | the object that a call changes in the outside world |
//! | `sensitive_blocker` | whether only a human may remove a blocker |
//! | `named_positions` | whether the agent's words show that it moves on |

mod argument_list;
mod attempt;
mod envelope;
mod failure;
mod mutated_object;
mod named_positions;
mod question;
mod result_reason;
mod sensitive_blocker;
mod spelling;
mod user_word;
mod waiting;

pub(crate) use attempt::{AttemptPart, ParallelCalls};
pub(crate) use envelope::message_of;
pub use failure::ActionResult;
pub(crate) use failure::{JudgedOutcome, is_marked, is_outage};
pub(crate) use mutated_object::{MutatedObject, WORDS as MUTATION_WORDS};
pub(crate) use named_positions::NamedPositions;
pub(crate) use question::{has_question, question_texts};
pub use result_reason::ResultReason;
pub(crate) use sensitive_blocker::is_sensitive_blocker;
pub(crate) use spelling::canonical_action;
pub(crate) use user_word::{PromptOrigin, UserWords};
