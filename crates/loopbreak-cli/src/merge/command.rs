//! Merges reports.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use loopbreak_report::merge_reports;
use serde_json::Value;

use super::args::MergeArgs;
use crate::error::UserError;
use crate::{exit, output};

pub(crate) fn run(args: &MergeArgs) -> Result<u8, UserError> {
    let reports: Vec<Value> = args.reports.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    let merged = merge_reports(&reports);
    output::print_json(&merged.map_err(|error| UserError::usage(error.to_string()))?)?;
    Ok(exit::DONE)
}

fn read(path: &Path) -> Result<Value, UserError> {
    let name = path.display();
    let input: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        let file = File::open(path);
        Box::new(file.map_err(|error| UserError::failed(format!("cannot read {name}: {error}")))?)
    };
    serde_json::from_reader(BufReader::new(input))
        .map_err(|error| UserError::usage(format!("{name} is not a report: {error}")))
}
