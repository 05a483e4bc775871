//! A custom orchestrator that uses only the guard of Loopbreak.
//!
//! This is what you add to an existing game agent: four places in its loop, marked 1 to 4. Everything else stands for
//! your own code: the game (here a story of the arena), the model (here a script that moves back and forth) and the
//! critic (here none).
//!
//! `cargo run -p loopbreak-arena --example orchestrator`

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use loopbreak::{
    Action, Config, Guard, Outcome, Place, Profile, Proposal, Step, step::Label, verdict::Audience,
};
use loopbreak_arena::{GameWorld, StoryWorld, WorldError, stories};

/// Your model: it gets the text of the game and the advice of Loopbreak, and answers with a command.
struct ScriptedModel {
    turn: usize,
}

impl ScriptedModel {
    /// Moves back and forth. After advice, it tries one of these commands.
    fn command(&mut self, advice: &[String]) -> &'static str {
        self.turn += 1;
        let fresh = ["east", "north", "take lantern", "east", "look", "north", "take pine cone", "east"];
        let habit = ["north", "south"];
        if advice.is_empty() { habit[self.turn % 2] } else { fresh[self.turn % fresh.len()] }
    }
}

/// Plays a game. Returns the reason for its end, and the turn.
fn play(max_turns: u64) -> Result<(String, u64), WorldError> {
    let mut world = StoryWorld::new(stories::spillway(), 1);
    let mut model = ScriptedModel { turn: 0 };

    // 1. Create one guard per run. Its memory is bounded to 160 kB, however long the run is.
    let mut guard = Guard::new(Config::from(Profile::Game));
    let mut advice: Vec<String> = Vec::new();

    world.reset()?;
    for turn in 1..=max_turns {
        // 2. Before the action, weigh it. If you have a critic, pass its score.
        let mut command = model.command(&advice);
        for _ in 0..3 {
            let ruling = guard.weigh(&Proposal::new(command, 0.9));
            if ruling.accepted {
                break;
            }
            // Refused: tell the model why, and ask again.
            advice.extend(ruling.adjustments.iter().map(|adjustment| adjustment.reason.clone()));
            command = model.command(&advice);
        }

        let observation = world.act(command)?;

        // 3. After the action, report what was done, the outcome, the place and the score.
        let verdict = guard.observe(&Step {
            turn: Some(turn),
            action: Some(Action::new(command)),
            outcome: Some(Outcome::new(observation.text.as_str())),
            place: observation.place.as_ref().map(|place| Place {
                id: Some(Label::from(i64::from(place.id))),
                name: Some(place.name.as_str().into()),
                exits: place.exits.iter().map(|exit| exit.as_str().into()).collect(),
            }),
            score: observation.score.map(f64::from),
            ..Step::default()
        });

        // 4. Put the advice into the next prompt. If nothing helps, the guard stops the run.
        let said = verdict.advice.iter().filter(|advice| advice.audience == Audience::Agent);
        advice = said.map(|advice| advice.text.clone()).collect();
        if let Some(stop) = verdict.stop {
            return Ok((stop.reason.to_string(), turn));
        }
        if observation.over {
            return Ok(("the game is over".to_owned(), turn));
        }
    }
    Ok(("the last turn".to_owned(), max_turns))
}

fn main() -> Result<(), WorldError> {
    let (reason, turn) = play(300)?;
    println!("ended at turn {turn}: {reason}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_loop_is_broken_long_before_the_turn_limit() {
        let (reason, turn) = play(300).unwrap();
        assert_eq!(reason, "stuck_no_progress");
        assert!(turn < 150, "{turn}");
    }
}
