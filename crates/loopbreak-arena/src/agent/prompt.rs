//! What a model is told: the context of the documents, as text.

use std::fmt::Write as _;

use super::chat_attempt::PromptMessage;
use crate::player_context::PlayerContext;

/// The longest text of the game that is passed on.
const TEXT: usize = 4000;

const PLAYER: &str = "\
You play a text adventure. Explore, solve its puzzles and raise the score. Each turn you are shown the game's answer to your \
last command, and what is known. Answer with one command for the game, as short as a player would type it, such as: north, \
take lantern, open door, unlock door with key. Do not repeat what did not help; heed advice and refusals.
Answer with JSON on one line and nothing else: {\"action\": \"the command\", \"reason\": \"why, in one sentence\"}";

const CRITIC: &str = "\
You are the critic of a player of a text adventure. You are shown what the player knows and the command that it proposes. Say \
what the command is worth now: 0 is useless, 0.5 is as good as not, 1 is just right. A command that was tried here without \
effect, or leads where there is no way, is worth little.
Answer with JSON on one line and nothing else: {\"score\": 0.0, \"reason\": \"why, in one sentence\"}";

/// What the player is asked.
pub(super) fn for_player(context: &PlayerContext) -> [PromptMessage; 2] {
    let mut text = situation(context);
    list(&mut text, "Advice", &context.advice);
    if !context.refused.is_empty() {
        text.push_str("\nRefused in this turn, so propose something else:\n");
        for refusal in &context.refused {
            let _ = writeln!(text, "- {}: {}", refusal.action, refusal.reasons.join("; "));
        }
    }
    text.push_str("\nYour command?");
    [
        PromptMessage { role: "system", content: PLAYER.to_owned() },
        PromptMessage { role: "user", content: text },
    ]
}

/// What the critic is asked.
pub(super) fn for_critic(context: &PlayerContext, action: &str) -> [PromptMessage; 2] {
    let mut text = situation(context);
    list(&mut text, "Advice", &context.critic_advice);
    let _ = write!(text, "\nThe player proposes: {action}\nYour score?");
    [
        PromptMessage { role: "system", content: CRITIC.to_owned() },
        PromptMessage { role: "user", content: text },
    ]
}

fn situation(context: &PlayerContext) -> String {
    let mut text = format!("Turn {}", context.turn);
    if let Some(score) = context.score {
        let _ = write!(text, ", score {score}");
    }
    text.push('\n');
    if let Some(place) = &context.place {
        let _ = writeln!(text, "Place: {place}");
    }
    if !context.exits.is_empty() {
        let _ = writeln!(text, "Known exits: {}", context.exits.join(", "));
    }
    if let Some(inventory) = &context.inventory {
        let _ = writeln!(text, "Inventory: {inventory}");
    }
    if !context.recent.is_empty() {
        text.push_str("\nWhat was done lately, oldest first:\n");
        for past in &context.recent {
            let _ = writeln!(text, "- {}: {}", past.action, past.answer);
        }
    }
    list(&mut text, "Objectives", &context.objectives);
    let game = loopbreak::text::clip(&context.text, TEXT);
    match &context.last_action {
        Some(action) => {
            let _ = writeln!(text, "\nThe game's answer to \"{action}\":\n{game}");
        }
        None => {
            let _ = writeln!(text, "\nThe game begins:\n{game}");
        }
    }
    text
}

fn list(text: &mut String, title: &str, entries: &[String]) {
    if !entries.is_empty() {
        let _ = writeln!(text, "\n{title}:");
        for entry in entries {
            let _ = writeln!(text, "- {entry}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player_context::{PastAction, RefusedProposal};

    #[test]
    fn a_model_is_told_all_that_is_known() {
        let context = PlayerContext {
            turn: 7,
            last_action: Some("north".to_owned()),
            text: "Dam\nA wall.".to_owned(),
            place: Some("Dam".to_owned()),
            exits: vec!["south".to_owned(), "up".to_owned()],
            score: Some(5),
            inventory: Some("a lantern".to_owned()),
            recent: vec![PastAction { action: "north".to_owned(), answer: "Dam A wall.".to_owned() }],
            objectives: vec!["explore up from Dam".to_owned()],
            advice: vec!["Try another way.".to_owned()],
            critic_advice: vec!["It goes to and fro.".to_owned()],
            refused: vec![RefusedProposal {
                action: "south".to_owned(),
                base: 0.9,
                score: 0.1,
                reasons: vec!["it leads back".to_owned()],
            }],
        };
        let [_, player] = for_player(&context);
        assert_eq!(
            player.content,
            "Turn 7, score 5\nPlace: Dam\nKnown exits: south, up\nInventory: a lantern\n\n\
             What was done lately, oldest first:\n- north: Dam A wall.\n\nObjectives:\n- explore up from Dam\n\n\
             The game's answer to \"north\":\nDam\nA wall.\n\nAdvice:\n- Try another way.\n\n\
             Refused in this turn, so propose something else:\n- south: it leads back\n\nYour command?"
        );
        let [_, critic] = for_critic(&context, "up");
        assert!(
            critic.content.contains("It goes to and fro.") && !critic.content.contains("Try another way.")
        );
        assert!(critic.content.ends_with("The player proposes: up\nYour score?"));
    }
}
