//! Plays a contest and prints the result.

use std::io::IsTerminal as _;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use loopbreak::{Config, Mode};
use loopbreak_arena::{AdviceContest, ContestPlan, ContestReport, EpisodeRules, GameContest, PlayerKind};

use super::args::ArenaArgs;
use crate::advice_choice::with_advice;
use crate::error::UserError;
use crate::games::{open_story, refuse_to_overwrite_story, with_game_profile};
use crate::{config_loading, exit, output};

/// Runs the command.
pub(crate) fn run(args: &ArenaArgs) -> Result<u8, UserError> {
    let config = config_loading::load(&with_game_profile(&args.config)?)?;
    check_mode(&config)?;
    let contest = GameContest {
        story: open_story(&args.story)?,
        rules: EpisodeRules { max_turns: args.max_turns, ..EpisodeRules::default() },
        seed: args.seed,
        episodes: args.episodes,
    };
    if let Some(path) = &args.html {
        check_html_path(path, &args.story)?;
    }
    let all = if args.players.is_empty() { &PlayerKind::ALL[..] } else { &args.players };
    let plan = ContestPlan {
        players: without_duplicates(all),
        obedience: without_duplicates(&args.obedience),
        config,
        ablate: args.ablate,
    };
    if let [first, second] = &args.compare_advice[..] {
        return compare_advice(&contest, &plan, [first, second], args.json);
    }
    let progress = progress_bar(plan.games(&contest));
    let report = ContestReport::play(&contest, &plan, &|| progress.inc(1));
    progress.finish_and_clear();
    let report = report.map_err(|problems| {
        UserError::usage(format!("these settings cannot be used for a contest: {problems}"))
    })?;
    // The figures come first, so that minutes of games are not lost if the page cannot be written.
    print(&report, args.json)?;
    if let Some(path) = &args.html {
        output::write_file(path, loopbreak_arena::render_page(&report).as_bytes())?;
    }
    Ok(exit::DONE)
}

/// Plays the same games with two sets of texts.
fn compare_advice(
    contest: &GameContest,
    plan: &ContestPlan,
    names: [&str; 2],
    json: bool,
) -> Result<u8, UserError> {
    let [first, second] = [with_advice(&plan.config, names[0])?, with_advice(&plan.config, names[1])?];
    let progress = progress_bar(AdviceContest::games(contest, plan));
    let sets = [(names[0], &first), (names[1], &second)];
    let report = AdviceContest::play(contest, plan, sets, &|| progress.inc(1));
    progress.finish_and_clear();
    if json {
        output::print_json(&report)?;
    } else {
        output::print(&for_terminal(&report))?;
    }
    Ok(exit::DONE)
}

/// Returns an error if the mode is not `enforce`: a contest measures what Loopbreak changes.
fn check_mode(config: &Config) -> Result<(), UserError> {
    if config.mode == Mode::Enforce {
        return Ok(());
    }
    Err(UserError::usage(format!("mode is \"{}\": there is nothing to compare", config.mode))
        .hint("a contest compares games with and without intervention: add --set mode=enforce"))
}

/// Returns an error before the games are played if the page cannot be written.
fn check_html_path(path: &Path, story: &Path) -> Result<(), UserError> {
    let failed = |why: &str| UserError::failed(format!("cannot write {}: {why}", path.display()));
    if path.is_dir() {
        return Err(failed("it is a folder"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(failed("the folder does not exist"));
    }
    refuse_to_overwrite_story("--html", path, story)
}

/// Removes duplicates and keeps the order.
fn without_duplicates<T: Copy + PartialEq>(items: &[T]) -> Vec<T> {
    let mut kept = Vec::new();
    for item in items {
        if !kept.contains(item) {
            kept.push(*item);
        }
    }
    kept
}

/// Returns a progress bar for this number of games. It is hidden if stderr is not a terminal.
fn progress_bar(games: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(games);
    let template = "playing {wide_bar:.cyan/dim} {human_pos} of {human_len} games, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("━━─"));
    }
    bar
}

/// Renders a report. On a terminal, its tables are at most as wide as that is.
fn for_terminal(report: &impl std::fmt::Display) -> String {
    let columns = if output::is_terminal() { output::terminal_size().0 } else { usize::from(u16::MAX) };
    format!("{report:columns$}")
}

fn print(report: &ContestReport, json: bool) -> Result<(), UserError> {
    if !json {
        return output::print(&for_terminal(report));
    }
    output::print_json(report)
}
