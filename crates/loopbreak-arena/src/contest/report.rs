//! What a contest shows.

use loopbreak::settings::SettingsProblems;
use loopbreak::{Config, Mode, Settings};
use serde::Serialize;

use super::account::Account;
use super::figures::{Mean, Share};
use super::part::Part;
use super::play::{Contest, Match};
use crate::player::PlayerKind;

/// Who plays, and with what.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The players.
    pub players: Vec<PlayerKind>,
    /// With which probabilities they do what they are told.
    pub obedience: Vec<f64>,
    /// The settings of Loopbreak.
    pub config: Config,
    /// Take out one part after the other, to see what it does.
    pub ablate: bool,
}

/// One kind of player.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The player.
    pub player: &'static str,
    /// Whether it is of a kind that gets stuck.
    pub stuck: bool,
    /// With which probability it does what it is told.
    pub obedience: f64,
    /// The score at the end without Loopbreak.
    pub score_without: Mean,
    /// The score with it.
    pub score: Mean,
    /// What Loopbreak makes of the score, game by game.
    pub gain: Mean,
    /// Turns without it.
    pub turns_without: Mean,
    /// Turns with it.
    pub turns: Mean,
    /// Turns after the last progress, without it.
    pub wasted_without: Mean,
    /// The same with it.
    pub wasted: Mean,
    /// Loops that were left within ten turns and not resumed, without it.
    pub broken_without: Share,
    /// The same with it.
    pub broken: Share,
    /// Episodes that it ended.
    pub stops: Share,
    /// Episodes that it ended although the score would have risen after that.
    pub false_stops: Share,
    /// Points that such stops cost, a game.
    pub destroyed: Mean,
    /// Proposals to return to a loop that lost worth.
    pub penalized: Share,
    /// Games in which the player died without it.
    pub died_without: u64,
    /// Games in which it died with it: whoever is sent on may come to harm there.
    pub died: u64,
    /// Games that were won without it.
    pub won_without: u64,
    /// Games that were won with it.
    pub won: u64,
}

/// The contest without a part of Loopbreak.
#[derive(Clone, Debug, Serialize)]
pub struct Ablation {
    /// What was taken out; nothing for the whole.
    pub without: Option<&'static str>,
    /// The score of players that get stuck.
    pub stuck_score: Mean,
    /// Their turns.
    pub stuck_turns: Mean,
    /// The loops they left.
    pub broken: Share,
    /// The score of the others.
    pub healthy_score: Mean,
    /// Episodes of the others that were ended.
    pub healthy_stops: Share,
}

/// A target, and whether it is met.
#[derive(Clone, Debug, Serialize)]
pub struct Target {
    /// What is wanted.
    pub target: &'static str,
    /// What was seen.
    pub seen: String,
    /// Whether that is enough; nothing where there was nothing to measure.
    pub met: Option<bool>,
}

/// What a contest shows.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The version of this report.
    pub schema: &'static str,
    /// Games a player.
    pub episodes: u32,
    /// The first seed.
    pub seed: u32,
    /// Turns a game at most.
    pub max_turns: u64,
    /// A row a player and obedience.
    pub rows: Vec<Row>,
    /// What was to be reached.
    pub targets: Vec<Target>,
    /// The contest with one part taken out after the other.
    pub ablations: Vec<Ablation>,
}

/// The accounts of one kind of player: without Loopbreak, with it, and with it but for the stops.
struct Games<'g> {
    kind: PlayerKind,
    obedience: f64,
    without: &'g [Account],
    with: &'g [Account],
    unstopped: &'g [Account],
}

impl Plan {
    /// How many games there are to play.
    pub fn games(&self, contest: &Contest) -> u64 {
        let arms =
            self.players.len() * (1 + 2 * self.obedience.len() + self.ablations() * self.obedience.len());
        arms as u64 * u64::from(contest.episodes)
    }

    /// Every player, at every obedience, with these settings.
    fn each<'m>(&'m self, config: &'m Config) -> impl Iterator<Item = Match<'m>> {
        self.players.iter().flat_map(move |kind| {
            self.obedience.iter().map(move |obedience| Match { kind: *kind, obedience: *obedience, config })
        })
    }

    fn ablations(&self) -> usize {
        if self.ablate { Part::ALL.len() } else { 0 }
    }
}

impl Report {
    /// Plays the contest. `over` is called for each game that is over.
    pub fn play(contest: &Contest, plan: &Plan, over: &(dyn Fn() + Sync)) -> Result<Self, SettingsProblems> {
        let silent = Config::new(Settings { mode: Mode::Observe, ..Settings::clone(&plan.config) })?;
        let unstopping = Config::new(Part::Stops.taken_out_of(&plan.config))?;
        // Without Loopbreak nobody tells a player anything: how well it obeys makes no difference.
        let alone = plan.players.iter().map(|kind| Match { kind: *kind, obedience: 0.0, config: &silent });
        let matches: Vec<Match<'_>> =
            alone.chain(plan.each(&plan.config)).chain(plan.each(&unstopping)).collect();
        let played = contest.play(&matches, over);
        let (without, rest) = played.split_at(plan.players.len());
        let (with, unstopped) = rest.split_at(rest.len() / 2);
        let games: Vec<Games<'_>> = with
            .iter()
            .zip(unstopped)
            .zip(plan.each(&plan.config))
            .enumerate()
            .map(|(index, ((with, unstopped), Match { kind, obedience, .. }))| {
                let without = &without[index / plan.obedience.len().max(1)];
                Games { kind, obedience, without, with, unstopped }
            })
            .collect();
        let mut ablations = Vec::new();
        if plan.ablate {
            let all: Vec<(PlayerKind, &[Account])> = games.iter().map(|one| (one.kind, one.with)).collect();
            ablations.push(Ablation::of(None, &all));
            for part in Part::ALL {
                let config = Config::new(part.taken_out_of(&plan.config))?;
                let matches: Vec<Match<'_>> = plan.each(&config).collect();
                let played = contest.play(&matches, over);
                let all: Vec<(PlayerKind, &[Account])> = matches
                    .iter()
                    .zip(&played)
                    .map(|(one, accounts)| (one.kind, accounts.as_slice()))
                    .collect();
                ablations.push(Ablation::of(Some(part), &all));
            }
        }
        Ok(Report {
            schema: "loopbreak.arena/1",
            episodes: contest.episodes,
            seed: contest.seed,
            max_turns: contest.rules.max_turns,
            rows: games.iter().map(Row::of).collect(),
            targets: targets(&games),
            ablations,
        })
    }
}

fn mean(accounts: &[Account], of: impl Fn(&Account) -> f64) -> Mean {
    Mean::of(&accounts.iter().map(of).collect::<Vec<f64>>())
}

fn share(accounts: &[Account], of: impl Fn(&Account) -> (u64, u64)) -> Share {
    let (count, all) = accounts.iter().map(of).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    Share::of(count, all)
}

fn is_stuck(kind: PlayerKind) -> bool {
    PlayerKind::STUCK.contains(&kind)
}

impl Games<'_> {
    /// The points that each stop cost: what the same game brings if it goes on.
    fn destroyed(&self) -> impl Iterator<Item = f64> {
        self.with.iter().zip(self.unstopped).map(|(ended, went_on)| match ended.stopped {
            Some(turn) if went_on.gains_after(turn) => (went_on.score - ended.score).max(1) as f64,
            _ => 0.0,
        })
    }

    fn gains(&self) -> impl Iterator<Item = f64> {
        self.with.iter().zip(self.without).map(|(with, without)| (with.score - without.score) as f64)
    }
}

impl Row {
    fn of(games: &Games<'_>) -> Self {
        let Games { kind, obedience, without, with, .. } = *games;
        let destroyed: Vec<f64> = games.destroyed().collect();
        let ended = |accounts: &[Account], ending: &str| {
            accounts.iter().filter(|one| one.ending == ending).count() as u64
        };
        Row {
            player: kind.as_str(),
            stuck: is_stuck(kind),
            obedience,
            score_without: mean(without, |one| one.score as f64),
            score: mean(with, |one| one.score as f64),
            gain: Mean::of(&games.gains().collect::<Vec<f64>>()),
            turns_without: mean(without, |one| one.turns as f64),
            turns: mean(with, |one| one.turns as f64),
            wasted_without: mean(without, |one| one.wasted() as f64),
            wasted: mean(with, |one| one.wasted() as f64),
            broken_without: share(without, |one| (one.broken, one.loops)),
            broken: share(with, |one| (one.broken, one.loops)),
            stops: share(with, |one| (u64::from(one.stopped.is_some()), 1)),
            false_stops: Share::of(
                destroyed.iter().filter(|points| **points > 0.0).count() as u64,
                destroyed.len() as u64,
            ),
            destroyed: Mean::of(&destroyed),
            penalized: share(with, |one| (one.penalized, one.returns)),
            died_without: ended(without, "death"),
            died: ended(with, "death"),
            won_without: ended(without, "victory"),
            won: ended(with, "victory"),
        }
    }
}

impl Ablation {
    fn of(part: Option<Part>, played: &[(PlayerKind, &[Account])]) -> Self {
        let of = |stuck: bool| -> Vec<Account> {
            let kinds = played.iter().filter(|(kind, _)| is_stuck(*kind) == stuck);
            kinds.flat_map(|(_, accounts)| accounts.iter().cloned()).collect()
        };
        let (stuck, healthy) = (of(true), of(false));
        Ablation {
            without: part.map(Part::as_str),
            stuck_score: mean(&stuck, |one| one.score as f64),
            stuck_turns: mean(&stuck, |one| one.turns as f64),
            broken: share(&stuck, |one| (one.broken, one.loops)),
            healthy_score: mean(&healthy, |one| one.score as f64),
            healthy_stops: share(&healthy, |one| (u64::from(one.stopped.is_some()), 1)),
        }
    }
}

/// The targets of the documents.
fn targets(games: &[Games<'_>]) -> Vec<Target> {
    let stuck = || games.iter().filter(|one| is_stuck(one.kind));
    let healthy = || games.iter().filter(|one| !is_stuck(one.kind));
    let sum = |of: &dyn Fn(&Games<'_>) -> (u64, u64), deaf: bool| {
        let chosen = stuck().filter(|one| !deaf || one.obedience == 0.0).map(of);
        let (count, all) = chosen.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        Share::of(count, all)
    };
    let of_loops =
        |one: &Games<'_>| one.with.iter().fold((0, 0), |sum, one| (sum.0 + one.broken, sum.1 + one.loops));
    let of_returns = |one: &Games<'_>| {
        one.with.iter().fold((0, 0), |sum, one| (sum.0 + one.penalized, sum.1 + one.returns))
    };
    let percent = |share: Share| {
        let at = |share: f64| format!("{:.1} %", 100.0 * share);
        share
            .share
            .map_or_else(|| "nothing to measure".to_owned(), |it| format!("{} of {}", at(it), share.of))
    };
    let above = |share: Share, least: f64| share.share.map(|share| share > least);
    let (broken, broken_deaf) = (sum(&of_loops, false), sum(&of_loops, true));
    let penalized = sum(&of_returns, false);
    let turns = |of: &dyn Fn(&Games<'_>) -> f64| stuck().map(of).sum::<f64>();
    let (before, after) = (
        turns(&|one| one.without.iter().map(|one| one.wasted() as f64).sum()),
        turns(&|one| one.with.iter().map(|one| one.wasted() as f64).sum()),
    );
    let shorter = (before > 0.0).then(|| 1.0 - after / before);
    let falsely: Vec<f64> = games.iter().flat_map(Games::destroyed).collect();
    let false_stops =
        Share::of(falsely.iter().filter(|points| **points > 0.0).count() as u64, falsely.len() as u64);
    let gain = Mean::of(&healthy().flat_map(Games::gains).collect::<Vec<f64>>());
    vec![
        Target { target: "loops broken > 80 %", seen: percent(broken), met: above(broken, 0.8) },
        Target {
            target: "loops broken > 80 %, by those who never listen",
            seen: percent(broken_deaf),
            met: above(broken_deaf, 0.8),
        },
        Target {
            target: "stuck stretches at least 50 % shorter",
            seen: shorter.map_or_else(
                || "nothing to measure".to_owned(),
                |shorter| format!("{:.0} %", 100.0 * shorter),
            ),
            met: shorter.map(|shorter| shorter >= 0.5),
        },
        Target {
            target: "false stops < 5 % of episodes",
            seen: percent(false_stops),
            met: false_stops.share.map(|share| share < 0.05),
        },
        Target {
            target: "no loss of score for players that are not stuck",
            seen: format!("{:+.2} ({:+.2} to {:+.2})", gain.mean, gain.low, gain.high),
            met: healthy().next().map(|_| gain.high >= 0.0),
        },
        Target {
            target: "a penalty on > 90 % of the returns to a loop",
            seen: percent(penalized),
            met: above(penalized, 0.9),
        },
    ]
}
