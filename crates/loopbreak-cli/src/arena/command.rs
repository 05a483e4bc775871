//! From arguments to a contest.

use std::io::IsTerminal as _;
use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};
use loopbreak::{Config, Mode};
use loopbreak_arena::{ContestPlan, ContestReport, EpisodeRules, GameContest, PlayerKind};

use super::args::ArenaArgs;
use crate::error::UserError;
use crate::{exit, output, play};

/// Plays a contest and prints what it shows.
pub(crate) fn run(args: &ArenaArgs) -> Result<u8, UserError> {
    let config = crate::config::load(&play::for_games(&args.config)?)?;
    must_act(&config)?;
    let contest = GameContest {
        story: play::story(&args.story)?,
        rules: EpisodeRules { max_turns: args.max_turns, ..EpisodeRules::default() },
        seed: args.seed,
        episodes: args.episodes,
    };
    if let Some(path) = &args.html {
        can_be_written(path, &args.story)?;
    }
    let all = if args.players.is_empty() { &PlayerKind::ALL[..] } else { &args.players };
    let plan =
        ContestPlan { players: once(all), obedience: once(&args.obedience), config, ablate: args.ablate };
    let progress = bar(plan.games(&contest));
    let report = ContestReport::play(&contest, &plan, &|| progress.inc(1));
    progress.finish_and_clear();
    let report = report.map_err(|problems| {
        UserError::usage(format!("these settings do not hold for a contest: {problems}"))
    })?;
    // First what can be seen at once: games of minutes are not lost where the page cannot be written.
    print(&report, args.json)?;
    if let Some(path) = &args.html {
        output::save(path, loopbreak_arena::render_page(&report).as_bytes())?;
    }
    Ok(exit::DONE)
}

/// A contest asks what Loopbreak changes: it has to be allowed to.
fn must_act(config: &Config) -> Result<(), UserError> {
    if config.mode == Mode::Enforce {
        return Ok(());
    }
    Err(UserError::usage(format!("mode is \"{}\": there would be nothing to compare", config.mode)).hint(
        "a contest plays each game twice, with Loopbreak acting and only observing: give --set mode=enforce",
    ))
}

/// Tells before the games whether there is a place for the page.
fn can_be_written(path: &Path, story: &Path) -> Result<(), UserError> {
    let failed = |why: &str| UserError::failed(format!("cannot write {}: {why}", path.display()));
    if path.is_dir() {
        return Err(failed("it is a folder"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if folder.is_some_and(|folder| !folder.is_dir()) {
        return Err(failed("there is no such folder"));
    }
    play::spare_story("--html", path, story)
}

/// Each once, in the order asked for.
fn once<T: Copy + PartialEq>(given: &[T]) -> Vec<T> {
    let mut kept = Vec::new();
    for one in given {
        if !kept.contains(one) {
            kept.push(*one);
        }
    }
    kept
}

/// A bar for so many games; one that shows nothing where nobody sees it.
fn bar(games: u64) -> ProgressBar {
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

fn print(report: &ContestReport, json: bool) -> Result<(), UserError> {
    if !json {
        return output::print(&report.to_string());
    }
    output::json(report)
}
