//! The first steps of a run, kept as long as they are few. They take far less room than a guard, and give the same
//! guard when they are shown to it again.

use std::io;

use loopbreak::Step;

/// Maximum number of bytes that are kept. A guard takes at least as many.
const MAX_BYTES: usize = 2048;

/// The first steps of a run, each with the line it was read from.
#[derive(Debug, Default)]
pub(super) struct FirstSteps(Vec<u8>);

impl FirstSteps {
    /// Adds a step. Returns false if the steps no longer fit: then they are of no use.
    pub(super) fn add(&mut self, step: &Step<'_>, line: Option<u64>) -> bool {
        // JSON has no other numbers. Steps that a program builds may have them.
        let is_plain = |number: Option<f64>| number.is_none_or(f64::is_finite);
        let critic = step.critic.and_then(|critic| critic.score);
        let cost = step.usage.and_then(|usage| usage.cost_usd);
        if ![step.score, critic, cost].into_iter().all(is_plain) {
            return false;
        }
        // Unknown keys are counted, and not part of the step as JSON.
        serde_json::to_writer(BoundedWriter(&mut self.0), &(line, step.unknown_keys, step)).is_ok()
    }

    /// Returns the encoded steps.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Calls `see` with each of the encoded steps. Returns false if they cannot be decoded.
    pub(super) fn for_each(bytes: &[u8], mut see: impl FnMut(&Step<'_>, Option<u64>)) -> bool {
        let steps = serde_json::Deserializer::from_slice(bytes).into_iter::<(Option<u64>, u32, Step<'_>)>();
        for step in steps {
            let Ok((line, unknown_keys, step)) = step else { return false };
            see(&Step { unknown_keys, ..step }, line);
        }
        true
    }
}

/// Writes as long as there is room.
struct BoundedWriter<'b>(&'b mut Vec<u8>);

impl io::Write for BoundedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > MAX_BYTES {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
