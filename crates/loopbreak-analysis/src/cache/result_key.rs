//! The key of everything but the files of a log that decides its result.

use std::time::SystemTime;
use std::{env, fs, io, path};

use loopbreak_trace::LogInput;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

use crate::AnalyzeOptions;
use crate::prices::PriceTable;

/// Version of the encoding of results. Raise it with every change of what an entry contains.
const ENCODING: u32 = 1;

/// The key of the program, its prices and the settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ResultKey(u128);

impl ResultKey {
    /// Creates the key. An error means that the program cannot be told from another build.
    pub(crate) fn new(options: &AnalyzeOptions) -> io::Result<Self> {
        let mut hash = Xxh3::new();
        hash.update(&ENCODING.to_le_bytes());
        hash.update(env!("CARGO_PKG_VERSION").as_bytes());
        // A build with other rules may have the same version.
        let program = fs::metadata(env::current_exe()?)?;
        let built = program.modified()?.duration_since(SystemTime::UNIX_EPOCH).map_err(io::Error::other)?;
        hash.update(&program.len().to_le_bytes());
        hash.update(&built.as_nanos().to_le_bytes());
        hash.update(&xxh3_128(PriceTable::text().as_bytes()).to_le_bytes());
        hash.update(options.format.map_or("", loopbreak_trace::LogFormat::as_str).as_bytes());
        hash.update(&serde_json::to_vec(&*options.config)?);
        Ok(ResultKey(hash.digest128()))
    }

    /// Returns the key of the results of a log, whatever its content. `None` if the path has no absolute form.
    pub(super) fn of_log(self, input: &LogInput) -> Option<u128> {
        let mut hash = Xxh3::new();
        let mut add = |part: &[u8]| {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        };
        add(&self.0.to_le_bytes());
        add(input.run().as_bytes());
        add(&[u8::from(input.is_sequence())]);
        add(format!("{:?}", input.unpack_limit()).as_bytes());
        for (file, agent) in input.files() {
            add(path::absolute(file).ok()?.as_os_str().as_encoded_bytes());
            // No agent is another one than an agent without a name.
            add(format!("{agent:?}").as_bytes());
        }
        Some(hash.digest128())
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::{Config, Settings};
    use loopbreak_trace::{LogFormat, UnpackLimit};

    use super::*;

    #[test]
    fn settings_format_and_limits_change_the_key_and_the_selected_run_does_not() {
        let base = AnalyzeOptions::default();
        let mut settings = Settings::default();
        settings.cycle.warn_at = 4;
        let mut input = LogInput::file("a.jsonl");
        let key = |options: &AnalyzeOptions, input: &LogInput| {
            ResultKey::new(options).unwrap().of_log(input).unwrap()
        };
        let known = key(&base, &input);
        assert_eq!(known, key(&base, &LogInput::file("./a.jsonl")), "the same file under another name");
        let others = [
            AnalyzeOptions::new(Config::new(settings).unwrap()),
            AnalyzeOptions { format: Some(LogFormat::STEPS), ..base.clone() },
        ];
        for options in &others {
            assert_ne!(known, key(options, &input));
        }
        for same in [
            AnalyzeOptions { only_run: Some("x".to_owned()), ..base.clone() },
            AnalyzeOptions { record_steps: true, notes_per_log: 3, ..base.clone() },
        ] {
            assert_eq!(known, key(&same, &input));
        }
        assert_ne!(known, key(&base, &LogInput::file("b.jsonl")));
        input.limit_unpacked(UnpackLimit::bytes(7));
        assert_ne!(known, key(&base, &input));
    }
}
