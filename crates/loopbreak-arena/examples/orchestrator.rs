//! An orchestrator of one's own, with nothing of Loopbreak's in it but the guard.
//!
//! This is what you add to a game agent that you have: four places in its loop, marked 1 to 4. Everything else stands for
//! your own code: the game (here a story of the arena), the model (here a few lines that like to walk to and fro) and the
//! critic (here none).
//!
//! `cargo run -p loopbreak-arena --example orchestrator`

#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use loopbreak::{Action, Audience, Config, Guard, Label, Outcome, Place, Profile, Proposal, Step};
use loopbreak_arena::{GameWorld, StoryWorld, WorldError, stories};

/// Your model: it is shown what the game said and what Loopbreak says, and answers with a command.
struct ScriptedModel {
    turn: usize,
}

impl ScriptedModel {
    /// Goes to and fro. When it is told that this does not help, it tries one of these.
    fn command(&mut self, advice: &[String]) -> &'static str {
        self.turn += 1;
        let fresh = ["east", "north", "take lantern", "east", "look", "north", "take pine cone", "east"];
        let habit = ["north", "south"];
        if advice.is_empty() { habit[self.turn % 2] } else { fresh[self.turn % fresh.len()] }
    }
}

/// Plays a game, and gives the reason for its end, and the turn.
fn play(max_turns: u64) -> Result<(String, u64), WorldError> {
    let mut world = StoryWorld::new(stories::spillway(), 1);
    let mut model = ScriptedModel { turn: 0 };

    // 1. One guard a run. It keeps what it has to know, and no more than 160 kB of it, however long the run is.
    let mut guard = Guard::new(Config::of(Profile::Game));
    let mut advice: Vec<String> = Vec::new();

    world.reset()?;
    for turn in 1..=max_turns {
        // 2. Before the action: what is it worth? Whoever has a critic passes its score on.
        let mut command = model.command(&advice);
        for _ in 0..3 {
            let ruling = guard.weigh(&Proposal::new(command, 0.9));
            if ruling.accepted {
                break;
            }
            // Refused: the model is told why, and asked again.
            advice.extend(ruling.adjustments.iter().map(|adjustment| adjustment.reason.clone()));
            command = model.command(&advice);
        }

        let observation = world.act(command)?;

        // 3. After the action: what was done, what came of it, where the agent is now, and how it stands.
        let verdict = guard.observe(&Step {
            turn: Some(turn),
            action: Some(Action::new(command)),
            outcome: Some(Outcome { text: Some(observation.text.as_str().into()), error: false }),
            place: observation.place.as_ref().map(|place| Place {
                id: Some(Label::from(i64::from(place.id))),
                name: Some(place.name.as_str().into()),
                exits: place.exits.iter().map(|exit| exit.as_str().into()).collect(),
            }),
            score: observation.score.map(f64::from),
            ..Step::default()
        });

        // 4. What Loopbreak says goes into the next prompt; where nothing helps, it ends the run.
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
    fn the_loop_is_broken_long_before_the_last_turn() {
        let (reason, turn) = play(300).unwrap();
        assert_eq!(reason, "stuck_no_progress");
        assert!(turn < 150, "{turn}");
    }
}
