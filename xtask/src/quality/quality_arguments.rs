//! The command line of `cargo xtask quality`.

use std::path::PathBuf;

use crate::chore_failure::ChoreFailure;

/// The parts of the split: rules are developed on the first and measured on the second.
pub(super) const PARTS: [&str; 2] = ["look", "check"];

/// The arguments of the chore.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct QualityArguments {
    /// The folder of the samples.
    pub(super) folder: PathBuf,
    /// The parts to measure.
    pub(super) parts: Vec<&'static str>,
    /// Replaces the generated parts of the page.
    pub(super) write: bool,
    /// The replayed winning command lists, if they are not in the folder.
    pub(super) walkthroughs: Option<PathBuf>,
}

impl QualityArguments {
    /// Parses the arguments.
    pub(super) fn parse(arguments: &[String]) -> Result<Self, ChoreFailure> {
        let usage = |message: String| ChoreFailure::Usage(format!("quality: {message}"));
        let (mut folder, mut walkthroughs, mut parts, mut write) = (None, None, PARTS.to_vec(), false);
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            match argument.as_str() {
                "--write" => write = true,
                "--walkthroughs" => {
                    let file = rest.next().ok_or_else(|| usage("--walkthroughs needs a file".to_owned()))?;
                    walkthroughs = Some(PathBuf::from(file));
                }
                "--part" => {
                    let name = rest.next().map(String::as_str);
                    let known = PARTS.into_iter().find(|part| Some(*part) == name);
                    let unknown =
                        || usage(format!("--part is `look` or `check`, not {:?}", name.unwrap_or("")));
                    parts = vec![known.ok_or_else(unknown)?];
                }
                flag if flag.starts_with('-') => return Err(usage(format!("unexpected {flag:?}"))),
                path if folder.is_none() => folder = Some(PathBuf::from(path)),
                other => return Err(usage(format!("unexpected {other:?}"))),
            }
        }
        let folder = folder.ok_or_else(|| usage("which folder has the samples?".to_owned()))?;
        if write && parts.len() < PARTS.len() {
            return Err(usage("--write needs both parts: leave out --part".to_owned()));
        }
        Ok(QualityArguments { folder, parts, write, walkthroughs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<QualityArguments, ChoreFailure> {
        QualityArguments::parse(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn arguments_may_come_in_any_order() {
        let parsed = parse("--part check runs --walkthroughs w.jsonl").unwrap();
        let expected = QualityArguments {
            folder: "runs".into(),
            parts: vec!["check"],
            write: false,
            walkthroughs: Some("w.jsonl".into()),
        };
        assert_eq!(parsed, expected);
        assert_eq!(parse("runs --write").unwrap().parts, PARTS);
    }

    #[test]
    fn wrong_arguments_are_usage_errors() {
        for (line, message) in [
            ("", "which folder"),
            ("runs more", "unexpected \"more\""),
            ("runs --part test", "--part is `look` or `check`, not \"test\""),
            ("runs --part", "--part is `look` or `check`"),
            ("runs --walkthroughs", "--walkthroughs needs a file"),
            ("runs --write --part look", "--write needs both parts"),
            ("runs --all", "unexpected \"--all\""),
        ] {
            let Err(ChoreFailure::Usage(told)) = parse(line) else { panic!("{line}") };
            assert!(told.contains(message), "{line}: {told}");
        }
    }
}
