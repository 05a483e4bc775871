//! The arguments of the chore.

use crate::chore_failure::ChoreFailure;
use crate::dist::dist_target::DistTarget;

/// The work to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DistOptions {
    /// Build the archive for this platform, or for this machine.
    Archive(Option<DistTarget>),
    /// Write what a release has once: the sums, the script and the formula.
    Finish {
        /// Address of the releases, which goes into the script and the formula.
        releases_url: String,
        /// Tag that is released. It has to be that of the version.
        tag: Option<String>,
    },
}

impl DistOptions {
    pub(super) fn parse(arguments: &[String]) -> Result<Self, ChoreFailure> {
        let usage = |message: String| ChoreFailure::Usage(format!("dist: {message}"));
        let (mut target, mut releases_url, mut tag, mut is_finish) = (None, None, None, false);
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            let mut value = |what: &str| {
                let value = rest.next().filter(|value| !value.is_empty());
                value.cloned().ok_or_else(|| usage(format!("{argument} needs {what}")))
            };
            match argument.as_str() {
                "--target" => target = Some(DistTarget::parse(&value("a target triple")?)),
                "--finish" => is_finish = true,
                "--releases-url" => releases_url = Some(value("an address")?),
                "--tag" => tag = Some(value("a tag")?),
                other => return Err(usage(format!("unexpected {other:?}"))),
            }
        }
        match (is_finish, target, releases_url) {
            (false, target, None) if tag.is_none() => Ok(Self::Archive(target)),
            (true, None, Some(url)) if url.ends_with("/releases") && is_plain(&url) => {
                Ok(Self::Finish { releases_url: url, tag })
            }
            (true, None, Some(url)) => Err(usage(format!("not an address that ends with /releases: {url}"))),
            (true, None, None) => Err(usage("--finish needs --releases-url".to_owned())),
            _ => Err(usage("--target is for archives, --releases-url and --tag are for --finish".to_owned())),
        }
    }
}

/// Returns whether an address can be put between double quotes of a shell or of Ruby as it is.
fn is_plain(url: &str) -> bool {
    url.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":/.-_~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<DistOptions, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        DistOptions::parse(&words).map_err(|failure| match failure {
            ChoreFailure::Usage(message) => message,
            ChoreFailure::Failed(message) => panic!("{message}"),
        })
    }

    #[test]
    fn archives_and_the_end_of_a_release_are_told_apart() {
        assert_eq!(parse(""), Ok(DistOptions::Archive(None)));
        let musl = "x86_64-unknown-linux-musl";
        assert_eq!(
            parse(&format!("--target {musl}")),
            Ok(DistOptions::Archive(Some(DistTarget::parse(musl))))
        );
        let url = "https://example.org/loopbreak/releases";
        assert_eq!(
            parse(&format!("--finish --releases-url {url} --tag v1")),
            Ok(DistOptions::Finish { releases_url: url.to_owned(), tag: Some("v1".to_owned()) })
        );
    }

    #[test]
    fn other_combinations_are_refused() {
        for line in [
            "--finish",
            "--releases-url https://example.org/releases",
            "--finish --releases-url https://example.org/",
            "--finish --releases-url https://example.org/$(id)/releases",
            "--finish --target x --releases-url https://example.org/releases",
            "--tag v1",
            "--target",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
