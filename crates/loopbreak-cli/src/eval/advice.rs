//! The option `--advice`: compares two sets of texts.

use loopbreak::Config;
use loopbreak_analysis::eval::{AdviceComparison, AdviceObserver};
use loopbreak_analysis::{AnalyzeOptions, LogAnalyzer};
use loopbreak_report::eval as report;
use loopbreak_trace::expand_paths;

use super::args::EvalArgs;
use crate::advice_choice::with_advice;
use crate::error::UserError;
use crate::progress_bar::reading_bar;
use crate::{exit, output};

/// Compares the texts for the findings in the logs. `names` are the two sets.
pub(super) fn compare(args: &EvalArgs, config: &Config, names: [&str; 2]) -> Result<u8, UserError> {
    let [first, second] = [with_advice(config, names[0])?, with_advice(config, names[1])?];
    let inputs = expand_paths(&args.paths);
    let mut diagnostics = output::diagnostics(args.quiet, args.verbose);
    let options = AnalyzeOptions {
        format: args.format,
        notes_per_log: diagnostics.notes_per_log(),
        ..AnalyzeOptions::new(first)
    };
    let bar = reading_bar(&inputs.inputs, args.quiet);
    let progress = bar.clone();
    let analyzer = LogAnalyzer::new(options).on_progress(move |bytes| progress.inc(bytes));
    let (logs, observers) = analyzer.run_observed(inputs, || AdviceObserver::new(second.clone()));
    bar.finish_and_clear();
    let failed = logs.report_unread_inputs(&mut diagnostics).failed;
    diagnostics.finish();
    if logs.has_no_runs() {
        return if failed { Ok(exit::FAILED) } else { Err(UserError::failed("no runs found")) };
    }
    let mut comparison = AdviceComparison::new(names);
    for (input, observer) in logs.inputs.inputs.iter().zip(observers) {
        comparison.add(&input.name(), observer);
    }
    if args.json {
        output::print_json(&comparison)?;
    } else {
        output::print(&report::render_advice(&comparison, &output::text_style()))?;
    }
    Ok(if failed { exit::FAILED } else { exit::DONE })
}
