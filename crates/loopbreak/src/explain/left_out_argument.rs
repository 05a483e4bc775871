//! Arguments that are not compared.

use serde::Serialize;

/// An argument of a call that makes no difference when two calls are compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LeftOutArgument {
    /// Its name.
    pub name: String,
    /// The reason, as part of a sentence.
    pub reason: &'static str,
}

impl LeftOutArgument {
    pub(crate) fn new(name: String, reason: &'static str) -> Self {
        LeftOutArgument { name, reason }
    }
}
