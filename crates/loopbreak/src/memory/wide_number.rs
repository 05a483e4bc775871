//! Numbers that use all their bits.

use serde::{Deserialize, Serialize};

/// A number whose digits have nothing to do with the length of the run: a set of bits, a sum of hashes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct WideNumber<T>(pub(crate) T);
