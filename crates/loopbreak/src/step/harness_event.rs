//! Events that the harness of an agent caused.

use super::lenient_name::lenient_name;
use crate::name_enum::name_enum;

name_enum! {
    /// Something that the harness of an agent did. Nobody said it, so it never counts as a message of the user.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    "harness event" pub enum HarnessEvent {
        /// The conversation was compacted: the agent lost the details of what it did before.
        Compaction = "compaction",
        /// The agent was sent on by a goal, a stop hook, a scheduler or an empty prompt. It ends no streak.
        Continuation = "continuation",
        /// A background job ended, or sent a message.
        Notification = "notification",
    }
}

lenient_name!(HarnessEvent);
