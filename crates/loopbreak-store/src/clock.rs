//! The time that is written down. The engine reads no clock: whoever shows it a step brings the time along.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, in milliseconds since 1970.
pub fn now() -> i64 {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(passed.as_millis()).unwrap_or(i64::MAX)
}
