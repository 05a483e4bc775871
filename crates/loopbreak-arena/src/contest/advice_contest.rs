//! The same games with two sets of texts.

use std::fmt;

use loopbreak::Config;
use serde::Serialize;

use super::contest_report::{ContestPlan, mean, share};
use super::game_contest::{ContestMatch, GameContest};
use super::game_record::GameRecord;
use super::intervals::{MeanInterval, ShareInterval};
use super::table::{change, percent, table};

/// The results of one kind of player at one obedience, with each set of texts.
#[derive(Clone, Debug, Serialize)]
pub struct AdviceRow {
    /// Name of the player.
    pub player: &'static str,
    /// Probability with which it follows advice.
    pub obedience: f64,
    /// Final score.
    pub score: [MeanInterval; 2],
    /// Score with the second set minus score with the first, game by game.
    pub difference: MeanInterval,
    /// Number of turns.
    pub turns: [MeanInterval; 2],
    /// Loops left within ten turns and not resumed.
    pub broken: [ShareInterval; 2],
}

/// A contest between two sets of texts.
#[derive(Clone, Debug, Serialize)]
pub struct AdviceContest {
    /// Version of the report format.
    pub schema: &'static str,
    /// Number of games per player.
    pub episodes: u32,
    /// First seed.
    pub seed: u32,
    /// Maximum number of turns per game.
    pub max_turns: u64,
    /// The names of the sets.
    pub sets: [String; 2],
    /// One row per player and obedience.
    pub rows: Vec<AdviceRow>,
    /// Difference of the scores over all games.
    pub difference: MeanInterval,
}

impl AdviceContest {
    /// Returns the number of games to play.
    pub fn games(contest: &GameContest, plan: &ContestPlan) -> u64 {
        (2 * plan.players.len() * plan.obedience.len()) as u64 * u64::from(contest.episodes)
    }

    /// Plays the games of the plan with two settings, which have these names. `over` is called after each game.
    pub fn play(
        contest: &GameContest,
        plan: &ContestPlan,
        sets: [(&str, &Config); 2],
        over: &(dyn Fn() + Sync),
    ) -> Self {
        let matches: Vec<ContestMatch<'_>> = plan.each(sets[0].1).chain(plan.each(sets[1].1)).collect();
        let played = contest.play(&matches, over);
        let (first, second) = played.split_at(played.len() / 2);
        let pairs = first.iter().zip(second);
        let rows = matches.iter().zip(pairs.clone()).map(|(one, (first, second))| AdviceRow {
            player: one.kind.as_str(),
            obedience: one.obedience,
            score: [first, second].map(|games| mean(games, |game| game.score as f64)),
            difference: MeanInterval::from_values(&differences(first, second).collect::<Vec<f64>>()),
            turns: [first, second].map(|games| mean(games, |game| game.turns as f64)),
            broken: [first, second].map(|games| share(games, |game| (game.broken, game.loops))),
        });
        let all: Vec<f64> = pairs.flat_map(|(first, second)| differences(first, second)).collect();
        AdviceContest {
            schema: "loopbreak.arena.advice/1",
            episodes: contest.episodes,
            seed: contest.seed,
            max_turns: contest.rules.max_turns,
            sets: sets.map(|(name, _)| name.to_owned()),
            rows: rows.collect(),
            difference: MeanInterval::from_values(&all),
        }
    }
}

fn differences<'g>(first: &'g [GameRecord], second: &'g [GameRecord]) -> impl Iterator<Item = f64> + 'g {
    first.iter().zip(second).map(|(first, second)| (second.score - first.score) as f64)
}

impl AdviceRow {
    fn cells(&self) -> Vec<String> {
        vec![
            self.player.to_owned(),
            self.obedience.to_string(),
            format!("{:.1}", self.score[0].mean),
            format!("{:.1}", self.score[1].mean),
            change(&self.difference),
            format!("{:.0}", self.turns[0].mean),
            format!("{:.0}", self.turns[1].mean),
            percent(&self.broken[0]),
            percent(&self.broken[1]),
        ]
    }
}

/// A width, as in `{report:80}`, is that of the terminal: a table that is wider is divided.
impl fmt::Display for AdviceContest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.sets;
        writeln!(f, "A: {first}\nB: {second}\n")?;
        let heads = ["player", "obeys", "score A", "B", "B − A", "turns A", "B", "loops left A", "B"];
        table(f, &heads, &self.rows.iter().map(AdviceRow::cells).collect::<Vec<_>>())?;
        let MeanInterval { mean, low, high } = self.difference;
        writeln!(f, "\nscore B − A, all games: {mean:+.2} ({low:+.2} to {high:+.2})")
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::advice::TEMPLATES;
    use loopbreak::settings::{AdviceSettings, TemplateSet};
    use loopbreak::{Profile, Settings};

    use super::*;
    use crate::episode::EpisodeRules;
    use crate::player::PlayerKind;
    use crate::stories;

    fn config(advice: AdviceSettings) -> Config {
        let game = Config::from(Profile::Game);
        Config::new(Settings { advice, ..Settings::clone(&game) }).unwrap()
    }

    fn compare(second: &Config) -> AdviceContest {
        let rules = EpisodeRules { max_turns: 60, ..EpisodeRules::default() };
        let contest = GameContest { story: stories::spillway(), rules, seed: 1, episodes: 3 };
        let neutral = config(AdviceSettings::default());
        let plan = ContestPlan {
            players: vec![PlayerKind::Camper],
            obedience: vec![0.0, 1.0],
            config: neutral.clone(),
            ablate: false,
        };
        assert_eq!(AdviceContest::games(&contest, &plan), 12);
        AdviceContest::play(&contest, &plan, [("neutral", &neutral), ("other", second)], &|| {})
    }

    #[test]
    fn built_in_players_do_not_read_the_words() {
        let zork = config(AdviceSettings { templates: TemplateSet::Zork, ..AdviceSettings::default() });
        let report = compare(&zork);
        assert_eq!(report.rows.len(), 2);
        assert_eq!(report.difference, MeanInterval::default());
    }

    #[test]
    fn players_miss_texts_that_are_empty() {
        let texts = TEMPLATES.iter().map(|template| (template.name.to_owned(), String::new())).collect();
        let report = compare(&config(AdviceSettings { texts, ..AdviceSettings::default() }));
        let [deaf, obedient] = &report.rows[..] else { panic!("{report}") };
        assert!(deaf.difference.mean.abs() < 1e-9, "{report}");
        assert!(obedient.turns[0] != obedient.turns[1] || obedient.score[0] != obedient.score[1], "{report}");
    }
}
