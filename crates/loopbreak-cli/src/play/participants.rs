//! Creates the world, the player and the critic from the options.

use std::env;
use std::io::{self, IsTerminal as _};
use std::path::Path;

use loopbreak_arena::agent::{
    ApiKey, ChatEndpoint, ChatLimits, CommandCritic, CommandPlayer, EndpointCritic, EndpointPlayer,
    TokenPrices,
};
use loopbreak_arena::terminal::HumanPlayer;
use loopbreak_arena::{
    CancelFlag, CommandWorld, GamePlayer, GameWorld, HeuristicCritic, NoCritic, ProposalCritic, StoryWorld,
};

use loopbreak_config::read_limited_file;
use loopbreak_watch::notification::split_command_line;

use super::args::{CriticChoice, PlayArgs};
use super::player_choice::PlayerChoice;
use crate::config_loading::API_KEY_VARIABLE;
use crate::error::UserError;
use crate::games::open_story;

/// Environment variables that may hold the key, in the order of the search.
const KEY_VARIABLES: [&str; 2] = [API_KEY_VARIABLE, "OPENAI_API_KEY"];

/// The largest file of certificates that is read, in bytes.
const MAX_CERTIFICATE_BYTES: u64 = 4 * 1024 * 1024;

/// Creates the world and returns it with its name.
pub(super) fn create_world(
    args: &PlayArgs,
    cancel: &CancelFlag,
) -> Result<(Box<dyn GameWorld>, String), UserError> {
    if let Some(command) = &args.world {
        let words = split_option("--world", command)?;
        let world = CommandWorld::start(&words, args.seed, args.world_timeout(), cancel)
            .map_err(|error| UserError::usage(format!("--world: {error}")))?;
        return Ok((
            Box::new(world),
            words.last().map(|word| file_stem(Path::new(word))).unwrap_or_default(),
        ));
    }
    let path = args.story.as_path();
    let story = open_story(path).map_err(|error| match error.hint.clone() {
        Some(hint) => error.hint(format!("{hint}; use --world for other games")),
        None => error,
    })?;
    Ok((Box::new(StoryWorld::new(story, args.seed)), file_stem(path)))
}

fn file_stem(path: &Path) -> String {
    path.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Creates the player.
pub(super) fn create_player(
    args: &PlayArgs,
    choice: PlayerChoice,
    cancel: &CancelFlag,
) -> Result<Box<dyn GamePlayer>, UserError> {
    Ok(match choice {
        PlayerChoice::BuiltIn(kind) => kind.player_with_obedience(args.seed.into(), args.obedience),
        PlayerChoice::You => Box::new(human_player(cancel)),
        PlayerChoice::Model => {
            Box::new(EndpointPlayer::new(create_chat(args, args.model.as_deref(), cancel)?))
        }
        PlayerChoice::Program => {
            let words = split_option("--agent-command", args.agent_command.as_deref().unwrap_or_default())?;
            let player = CommandPlayer::start(&words, args.answer_timeout(), cancel);
            Box::new(player.map_err(|error| UserError::usage(format!("--agent-command: {error}")))?)
        }
    })
}

/// Creates the player at the terminal. A prompt is shown only if a person types the commands.
fn human_player(cancel: &CancelFlag) -> HumanPlayer<io::Stdout> {
    let prompt = io::stdin().is_terminal().then(io::stdout);
    HumanPlayer::new(io::stdin(), prompt, cancel)
}

/// Creates the critic.
pub(super) fn create_critic(
    args: &PlayArgs,
    choice: PlayerChoice,
    cancel: &CancelFlag,
) -> Result<Box<dyn ProposalCritic>, UserError> {
    Ok(match &args.critic {
        // A person is only scored on request.
        None if choice == PlayerChoice::You => Box::new(NoCritic),
        Some(CriticChoice::None) => Box::new(NoCritic),
        None | Some(CriticChoice::Heuristic) => Box::new(HeuristicCritic::default()),
        Some(CriticChoice::Endpoint) => {
            let model = args.critic_model.as_deref().or(args.model.as_deref());
            Box::new(EndpointCritic::new(create_chat(args, model, cancel)?))
        }
        Some(CriticChoice::Command(command)) => {
            let critic =
                CommandCritic::start(&split_option("--critic", command)?, args.answer_timeout(), cancel);
            Box::new(critic.map_err(|error| UserError::usage(format!("--critic: {error}")))?)
        }
    })
}

fn split_option(option: &str, command: &str) -> Result<Vec<String>, UserError> {
    split_command_line(command).filter(|words| !words.is_empty()).ok_or_else(|| {
        UserError::usage(format!("{option} {command:?}: no command, or a quote is not closed"))
    })
}

fn create_chat(args: &PlayArgs, model: Option<&str>, cancel: &CancelFlag) -> Result<ChatEndpoint, UserError> {
    let (Some(endpoint), Some(model)) = (&args.endpoint, model) else {
        return Err(UserError::usage("--critic endpoint needs --endpoint")
            .hint("set the address with --endpoint and the model with --model"));
    };
    let limits = ChatLimits {
        timeout: args.answer_timeout(),
        retries: args.retries,
        max_tokens: args.max_tokens.unwrap_or_default(),
        ..ChatLimits::default()
    };
    let chat = ChatEndpoint::new(endpoint, model).map_err(|error| {
        UserError::usage(format!("--endpoint: {error}"))
            .hint("use an address such as http://localhost:8080/v1")
    })?;
    let chat = match &args.ca_file {
        None => chat,
        Some(path) => {
            let failed = |why: String| UserError::usage(format!("--ca-file {}: {why}", path.display()));
            let bytes =
                read_limited_file(path, MAX_CERTIFICATE_BYTES).map_err(|error| failed(error.to_string()))?;
            let certificates = String::from_utf8(bytes).map_err(|_| failed("not UTF-8".to_owned()))?;
            chat.trust(&certificates).map_err(failed)?
        }
    };
    let key = KEY_VARIABLES.iter().find_map(|name| env::var(name).ok().filter(|key| !key.trim().is_empty()));
    if key.as_ref().is_some_and(|key| key.trim().chars().any(|c| !c.is_ascii_graphic())) {
        return Err(UserError::usage("the key in the environment contains invalid characters"));
    }
    Ok(chat
        .key(key.map(ApiKey::new))
        .temperature(args.temperature)
        .limits(limits)
        .prices(TokenPrices { input: args.price_input, output: args.price_output })
        .cancel(cancel.clone()))
}
