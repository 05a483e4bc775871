//! `loopbreak analyze --compare`: the same logs with the settings as they are, and with those of the options.

use std::path::Path;

use loopbreak::Config;
use loopbreak_analysis::compare::SettingsComparison;
use loopbreak_analysis::{Report, RunMatch};
use loopbreak_report::text::render_comparison;

use super::args::AnalyzeArgs;
use super::command::{find_inputs, read_logs, select_report, unknown_run};
use crate::args::ConfigOptions;
use crate::error::UserError;
use crate::{config_loading, exit, output};

/// Reads the logs twice and prints what changes. Standard input can be read only once.
pub(super) fn run(args: &AnalyzeArgs) -> Result<u8, UserError> {
    let settings = args.config.arguments();
    if settings.is_empty() {
        return Err(UserError::usage("--compare needs settings to compare with")
            .hint("add --set KEY=VALUE, --profile NAME or --config FILE"));
    }
    if args.paths.iter().any(|path| path == Path::new("-")) {
        return Err(UserError::usage("--compare reads the logs twice, which standard input does not allow")
            .hint("write it to a file first"));
    }
    let before = config_loading::load(&ConfigOptions::default())?;
    let after = config_loading::load(&args.config)?;
    let (before, failed) = read(args, &before, args.quiet)?;
    // What could not be read was reported with the first pass.
    let (after, _) = read(args, &after, true)?;
    let comparison = SettingsComparison::new(settings, &before, &after)
        .map_err(|error| UserError::failed(format!("cannot compare the runs: {error}")))?;
    if args.json {
        output::print_json(&comparison)?;
    } else {
        output::print(&render_comparison(&comparison, &output::text_style(), args.verbose))?;
    }
    Ok(if failed { exit::FAILED } else { exit::DONE })
}

/// Analyzes the logs with some settings. Returns the report, and whether an input could not be read.
fn read(args: &AnalyzeArgs, config: &Config, quiet: bool) -> Result<(Report, bool), UserError> {
    let mut diagnostics = output::diagnostics(quiet, args.verbose);
    let inputs = find_inputs(args, (!quiet).then_some(&mut diagnostics))?;
    let (mut logs, _) = read_logs(inputs, config, args.run.clone(), &mut diagnostics, args)?;
    if let (true, Some(only)) = (logs.has_no_runs(), &args.run) {
        let RunMatch::One(whole) = logs.match_run(only) else { return Err(unknown_run(only, &logs)) };
        (logs, _) = read_logs(find_inputs(args, None)?, config, Some(whole), &mut diagnostics, args)?;
    }
    let summary = logs.report_unread_inputs(&mut diagnostics);
    let report = select_report(logs, &summary, args)?;
    diagnostics.finish();
    Ok((report, summary.failed))
}
