//! The arguments of `cargo xtask wheel`.

use crate::chore_failure::ChoreFailure;

/// The ways in which a wheel can be built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct WheelOptions {
    /// Build with the profile of the tests instead of that of releases.
    pub(super) is_quick: bool,
    /// Leave the program out, because only the module is measured.
    pub(super) is_module_only: bool,
    /// Target triple, if it is not that of this machine.
    pub(super) target: Option<String>,
    /// Oldest glibc that the wheel has to run with, such as `2.17`. It is then linked with Zig.
    pub(super) glibc: Option<String>,
    /// Interpreter to build for. A Python without the global lock cannot load the wheel of the others.
    pub(super) interpreter: Option<String>,
}

impl WheelOptions {
    /// Returns the options of the wheel that the tests use.
    pub(super) fn quick() -> Self {
        WheelOptions { is_quick: true, ..WheelOptions::default() }
    }

    /// Returns the options of the wheel that is measured.
    pub(super) fn measured() -> Self {
        WheelOptions { is_module_only: true, ..WheelOptions::default() }
    }

    pub(super) fn parse(arguments: &[String]) -> Result<Self, ChoreFailure> {
        let usage = |message: String| Err(ChoreFailure::Usage(format!("wheel: {message}")));
        let mut options = WheelOptions::default();
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--quick" => options.is_quick = true,
                "--target" => match rest.next().map(|target| target.split_once('.').ok_or(target)) {
                    Some(Ok((triple, glibc))) if !triple.is_empty() && is_version(glibc) => {
                        options.target = Some(triple.to_owned());
                        options.glibc = Some(glibc.to_owned());
                    }
                    Some(Err(triple)) if !triple.is_empty() => options.target = Some(triple.clone()),
                    _ => return usage("--target needs TRIPLE or TRIPLE.GLIBC".to_owned()),
                },
                "--interpreter" => match rest.next().filter(|program| !program.is_empty()) {
                    Some(program) => options.interpreter = Some(program.clone()),
                    None => return usage("--interpreter needs a program, such as python3.14t".to_owned()),
                },
                other => return usage(format!("unexpected {other:?}")),
            }
        }
        if options.is_quick && options.target.is_some() {
            return usage("--quick is for this machine: leave out --target".to_owned());
        }
        Ok(options)
    }

    /// Returns the profile of cargo.
    pub(super) fn profile(&self) -> &'static str {
        if self.is_quick { "dev" } else { "dist" }
    }

    /// Returns the tag of the platform that maturin checks and writes, if it is not to choose it: that of the glibc, or none
    /// for a wheel that only this machine uses.
    pub(super) fn compatibility(&self) -> Option<String> {
        match &self.glibc {
            _ if self.is_quick || self.is_module_only => Some("linux".to_owned()),
            Some(glibc) => Some(format!("manylinux_{}", glibc.replace('.', "_"))),
            None => None,
        }
    }
}

fn is_version(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<WheelOptions, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        WheelOptions::parse(&words).map_err(|failure| match failure {
            ChoreFailure::Usage(message) => message,
            ChoreFailure::Failed(message) => panic!("{message}"),
        })
    }

    #[test]
    fn a_glibc_is_split_off_the_target_and_becomes_a_tag() {
        let options = parse("--target x86_64-unknown-linux-gnu.2.17").unwrap();
        assert_eq!(options.target.as_deref(), Some("x86_64-unknown-linux-gnu"));
        assert_eq!((options.compatibility().as_deref(), options.profile()), (Some("manylinux_2_17"), "dist"));
        assert_eq!(parse("--target aarch64-apple-darwin").unwrap().compatibility(), None);
        assert_eq!(parse("--quick"), Ok(WheelOptions::quick()));
        assert_eq!(parse("--interpreter python3.14t").unwrap().interpreter.as_deref(), Some("python3.14t"));
    }

    #[test]
    fn wrong_arguments_name_themselves() {
        for line in [
            "--target",
            "--target .2.17",
            "--target x.2",
            "--target x.y.z",
            "--slow",
            "--quick --target x",
            "--interpreter",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
