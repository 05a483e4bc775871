//! Keeps the runs of several logs apart in one output.

use std::collections::HashMap;
use std::io::{self, Write};

use loopbreak::step::Label;

/// Start of every converted line: the name of the run comes first.
const RUN: &[u8] = b"{\"run\":";

/// Passes converted lines on. A run whose name is that of a run of an earlier log gets the name of its log added, because
/// logs are separate even if their runs have the same name: a copied session, or two files with the same name.
///
/// Each write must be one line.
pub struct RunSeparator<'w> {
    out: &'w mut dyn Write,
    /// Name and number of the log that is being converted.
    log: (String, usize),
    /// Number of the log that each run of the output comes from.
    owners: HashMap<String, usize>,
    /// New names of the runs of this log.
    renamed: HashMap<String, String>,
}

impl<'w> RunSeparator<'w> {
    /// Creates a separator before the first log.
    pub fn new(out: &'w mut dyn Write) -> Self {
        RunSeparator { out, log: (String::new(), 0), owners: HashMap::new(), renamed: HashMap::new() }
    }

    /// Starts the next log.
    pub fn begin_log(&mut self, name: String) {
        self.log = (name, self.log.1 + 1);
        self.renamed.clear();
    }

    /// Returns the new name of a run, if its name belongs to another log.
    fn new_name(&mut self, run: &str) -> Option<&str> {
        match self.owners.get(run) {
            None => {
                self.owners.insert(run.to_owned(), self.log.1);
                None
            }
            Some(owner) if *owner == self.log.1 => None,
            Some(_) => {
                if !self.renamed.contains_key(run) {
                    let name = self.free_name(run);
                    self.owners.insert(name.clone(), self.log.1);
                    self.renamed.insert(run.to_owned(), name);
                }
                self.renamed.get(run).map(String::as_str)
            }
        }
    }

    /// Returns a name that no run has yet.
    fn free_name(&self, run: &str) -> String {
        let mut name = format!("{run} ({})", self.log.0);
        while self.owners.contains_key(&name) {
            name.push('+');
        }
        name
    }
}

impl Write for RunSeparator<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let labelled = line.strip_prefix(RUN).and_then(|rest| {
            let mut labels = serde_json::Deserializer::from_slice(rest).into_iter::<Label<'_>>();
            let label = labels.next()?.ok()?;
            Some((label, &rest[labels.byte_offset()..]))
        });
        if let Some((label, rest)) = labelled
            && let Some(name) = self.new_name(&label.as_text())
        {
            let name = serde_json::to_vec(name)?;
            self.out.write_all(&[RUN, &name, rest].concat())?;
        } else {
            self.out.write_all(line)?;
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_belongs_to_the_first_log_that_uses_it() {
        let mut written = Vec::new();
        let mut separator = RunSeparator::new(&mut written);
        for (log, lines) in [
            ("a", [r#"{"run":"s","turn":1}"#, r#"{"run":7,"turn":1}"#]),
            ("b", [r#"{"run":"s","turn":1}"#, r#"{"run":"s","turn":2}"#]),
            ("c", [r#"{"run":"7","turn":1}"#, r#"{"run":"s (c)","turn":1}"#]),
            ("c", [r#"{"run":"s","turn":1}"#, r#"{"turn":1}"#]),
        ] {
            separator.begin_log(log.to_owned());
            for line in lines {
                separator.write_all(format!("{line}\n").as_bytes()).unwrap();
            }
        }
        let expected = [
            r#"{"run":"s","turn":1}"#,
            r#"{"run":7,"turn":1}"#,
            r#"{"run":"s (b)","turn":1}"#,
            r#"{"run":"s (b)","turn":2}"#,
            r#"{"run":"7 (c)","turn":1}"#,
            r#"{"run":"s (c)","turn":1}"#,
            r#"{"run":"s (c)+","turn":1}"#,
            r#"{"turn":1}"#,
        ];
        assert_eq!(String::from_utf8(written).unwrap().lines().collect::<Vec<_>>(), expected);
    }
}
