//! The platform that an archive is for.

use std::env;
use std::process::Command;

use crate::chore_failure::ChoreFailure;
use crate::process::stdout_of;

/// The platform that an archive is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct DistTarget {
    /// Target triple, as rustc names it.
    pub(super) triple: String,
    /// Oldest glibc that the program has to run with, such as `2.17`. The program is then linked with Zig.
    pub(super) glibc: Option<String>,
}

impl DistTarget {
    /// Parses `TRIPLE` or `TRIPLE.GLIBC`, as `cargo zigbuild` spells it.
    pub(super) fn parse(text: &str) -> Self {
        match text.split_once('.') {
            Some((triple, glibc)) => DistTarget { triple: triple.to_owned(), glibc: Some(glibc.to_owned()) },
            None => DistTarget { triple: text.to_owned(), glibc: None },
        }
    }

    /// Returns the platform of this machine.
    pub(super) fn host() -> Result<Self, ChoreFailure> {
        let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let output = stdout_of(Command::new(rustc).arg("-vV"))?;
        String::from_utf8_lossy(&output)
            .lines()
            .find_map(|line| line.strip_prefix("host: "))
            .map(Self::parse)
            .ok_or_else(|| ChoreFailure::Failed("`rustc -vV` names no host".to_owned()))
    }

    /// Returns the spelling of `cargo zigbuild`.
    pub(super) fn with_glibc(&self) -> String {
        self.glibc.iter().fold(self.triple.clone(), |triple, glibc| format!("{triple}.{glibc}"))
    }

    /// Returns whether programs for this platform have to start on another one: both have the same processor and the same
    /// system. The C library does not matter, since a static program needs none.
    pub(super) fn runs_on(&self, other: &DistTarget) -> bool {
        let parts = |target: &DistTarget| {
            let mut words = target.triple.split('-').map(str::to_owned);
            (words.next(), words.nth(1))
        };
        parts(self) == parts(other)
    }

    /// Returns the file name of a program.
    pub(super) fn program(&self) -> &'static str {
        if self.triple.contains("-windows-") { "loopbreak.exe" } else { "loopbreak" }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_glibc_is_split_off() {
        let target = DistTarget::parse("x86_64-unknown-linux-gnu.2.17");
        assert_eq!(
            (target.triple.as_str(), target.glibc.as_deref()),
            ("x86_64-unknown-linux-gnu", Some("2.17"))
        );
        assert_eq!(target.with_glibc(), "x86_64-unknown-linux-gnu.2.17");
        assert_eq!(DistTarget::parse("aarch64-apple-darwin").with_glibc(), "aarch64-apple-darwin");
    }

    #[test]
    fn a_program_runs_on_the_same_system_and_processor() {
        let linux = DistTarget::parse("x86_64-unknown-linux-gnu");
        for (triple, runs) in [
            ("x86_64-unknown-linux-musl", true),
            ("x86_64-unknown-linux-gnu.2.17", true),
            ("aarch64-unknown-linux-musl", false),
            ("x86_64-apple-darwin", false),
            ("x86_64-pc-windows-msvc", false),
        ] {
            assert_eq!(DistTarget::parse(triple).runs_on(&linux), runs, "{triple}");
        }
        assert_eq!(DistTarget::parse("x86_64-pc-windows-msvc").program(), "loopbreak.exe");
        assert_eq!(linux.program(), "loopbreak");
    }
}
