//! The limit on the unpacked bytes of a compressed log.

use std::{fmt, io};

/// The limit on the unpacked bytes of a compressed log.
///
/// By default, a log may unpack to 1 GB, or to 100 times its size if that is more: logs of agents shrink to between a
/// twentieth and a thirtieth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnpackLimit {
    bytes: u64,
    /// Number of bytes that each packed byte may give. More is allowed up to the limit of bytes.
    ratio: u64,
}

impl Default for UnpackLimit {
    fn default() -> Self {
        UnpackLimit { bytes: 1_000_000_000, ratio: 100 }
    }
}

impl UnpackLimit {
    /// Allows this many bytes, whatever the size of the file.
    pub fn bytes(bytes: u64) -> Self {
        UnpackLimit { bytes, ratio: 0 }
    }

    /// Returns an error if this is too much.
    pub(super) fn check(self, packed: u64, unpacked: u64) -> io::Result<()> {
        if unpacked <= self.bytes || unpacked <= packed.saturating_mul(self.ratio) {
            return Ok(());
        }
        Err(io::Error::other(UnpackLimitExceeded(self)))
    }

    /// Returns whether an error says that the limit was exceeded.
    pub(super) fn is_cause_of(error: &io::Error) -> bool {
        error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<UnpackLimitExceeded>)
    }
}

/// A log that unpacks to more than the limit.
#[derive(Debug)]
struct UnpackLimitExceeded(UnpackLimit);

impl fmt::Display for UnpackLimitExceeded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let UnpackLimit { bytes, ratio } = self.0;
        write!(f, "it unpacks to more than ")?;
        match bytes {
            0..1_000_000 => write!(f, "{bytes} bytes")?,
            1_000_000..1_000_000_000 => write!(f, "{} MB", bytes / 1_000_000)?,
            _ => write!(f, "{} GB", bytes / 1_000_000_000)?,
        }
        if ratio > 0 {
            write!(f, " and to more than {ratio} times its size")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnpackLimitExceeded {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_log_of_the_usual_kind_is_within_the_limit() {
        let limit = UnpackLimit::default();
        assert!(limit.check(1_000_000_000, 30_000_000_000).is_ok(), "30 times its size");
        assert!(limit.check(1000, 900_000_000).is_ok(), "not much");
        let error = limit.check(8_700_000, 1_000_000_001).unwrap_err();
        assert_eq!(error.to_string(), "it unpacks to more than 1 GB and to more than 100 times its size");
        assert!(UnpackLimit::bytes(5_000_000_000).check(1000, 4_000_000_000).is_ok());
        let error = UnpackLimit::bytes(5_000_000_000).check(1_000_000_000, 5_000_000_001).unwrap_err();
        assert_eq!(error.to_string(), "it unpacks to more than 5 GB");
    }
}
