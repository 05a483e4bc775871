//! The party that denied an action.

use super::lenient_name::lenient_name;
use crate::name_enum::name_enum;

name_enum! {
    /// The party that denied an action, so that it was not carried out.
    #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
    "denial" pub enum Denial {
        /// A human. It counts as a message of the user.
        User = "user",
        /// Loopbreak.
        Guard = "guard",
        /// The rules of the agent itself, such as a sandbox or a list of allowed commands.
        Policy = "policy",
    }
}

lenient_name!(Denial);
