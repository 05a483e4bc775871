//! Models behind an endpoint: a local server that is slow, broken, unwilling, or repeats itself.

use std::time::{Duration, Instant};

use loopbreak::{Config, Guard, Profile, Settings, Usage};
use loopbreak_arena::agent::{ApiKey, ChatEndpoint, ChatLimits, EndpointCritic, EndpointPlayer, TokenPrices};
use loopbreak_arena::{
    CancelFlag, EpisodeEnding, EpisodeOrchestrator, EpisodeResult, EpisodeRules, FailureKind, GamePlayer,
    HeuristicCritic, PlayerContext, ProposalCritic, StoryWorld, stories,
};
use serde_json::json;

use crate::server::{ModelServer, ServerReply};

const KEY: &str = "sk-proj-0123456789abcdefghijKLMNOP";

/// Timeout that is long enough for any answer, even on a busy machine.
const LONG: Duration = Duration::from_secs(20);
/// Timeout for answers that do not arrive.
const SHORT: Duration = Duration::from_millis(300);

fn limits(timeout: Duration) -> ChatLimits {
    ChatLimits { timeout, backoff: Duration::from_millis(10), ..ChatLimits::default() }
}

fn chat(server: &ModelServer, timeout: Duration) -> ChatEndpoint {
    let prices = TokenPrices { input: Some(1.0), output: Some(10.0) };
    let chat = ChatEndpoint::new(&server.base, "small").unwrap().key(Some(ApiKey::new(KEY)));
    chat.limits(limits(timeout)).prices(prices)
}

fn player(server: &ModelServer) -> EndpointPlayer {
    EndpointPlayer::new(chat(server, LONG))
}

fn context() -> PlayerContext {
    PlayerContext { turn: 1, text: "Valley Road\nExits: north, east.".to_owned(), ..PlayerContext::default() }
}

/// Plays an episode with the model. Returns the result and the journal.
fn play(server: &ModelServer, timeout: Duration, max_cost: f64) -> (EpisodeResult, String) {
    let mut settings = Settings::from(Profile::Game);
    settings.budget.max_cost = max_cost;
    let guard = Guard::new(Config::new(settings).unwrap());
    let mut world = StoryWorld::new(stories::spillway(), 1);
    let mut player = EndpointPlayer::new(chat(server, timeout));
    let (mut critic, mut journal) = (HeuristicCritic::default(), Vec::new());
    let episode = EpisodeOrchestrator::new(&mut world, &mut player, &mut critic, guard)
        .rules(EpisodeRules::default())
        .journal(&mut journal)
        .play("ep-1")
        .unwrap();
    (episode, String::from_utf8(journal).unwrap())
}

#[test]
fn requests_follow_the_protocol_and_usage_is_counted() {
    let server = ModelServer::script(vec![ServerReply::says("{\"action\":\"north\",\"reason\":\"a way\"}")]);
    let mut player = player(&server);
    let wish = player.propose(&context()).unwrap();
    assert_eq!((wish.action.as_str(), wish.reason.as_str()), ("north", "a way"));
    let spent = player.take_usage();
    assert_eq!((spent.input_tokens, spent.output_tokens), (Some(1000), Some(20)));
    assert!((spent.cost_usd.unwrap() - 0.0012).abs() < 1e-12);
    assert_eq!(player.take_usage(), Usage::default());

    let [request] = server.requests().try_into().unwrap();
    assert!(request.head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{}", request.head);
    assert!(request.head.contains(&format!("Bearer {KEY}")));
    assert_eq!(request.body["model"], "small");
    assert_eq!(request.body["messages"][0]["role"], "system");
    assert!(request.body["messages"][1]["content"].as_str().unwrap().contains("Valley Road"));
    assert!(request.body.get("max_tokens").is_none() && request.body.get("temperature").is_none());
}

#[test]
fn retries_after_transient_failures() {
    let busy = || ServerReply::Plain(429, "retry-after: 0\r\n", String::new());
    let server = ModelServer::script(vec![
        busy(),
        ServerReply::Plain(503, "", "busy".to_owned()),
        ServerReply::says("north"),
    ]);
    assert_eq!(player(&server).propose(&context()).unwrap().action, "north");
    assert_eq!(server.requests().len(), 3);

    let server = ModelServer::script(vec![ServerReply::HangsUp, ServerReply::says("north")]);
    assert_eq!(player(&server).propose(&context()).unwrap().action, "north");
}

#[test]
fn every_failure_has_a_kind_and_takes_bounded_time() {
    let error = json!({"error": {"message": format!("no quota for {KEY}")}}).to_string();
    let null = json!({"choices": [{"message": {"content": null}}]}).to_string();
    let filtered = json!({"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]});
    let refusal = json!({"choices": [{"message": {"refusal": "I will not play."}}]}).to_string();
    let cases = [
        (ServerReply::Silence(LONG), FailureKind::Timeout, 3),
        (ServerReply::Drips(Duration::from_millis(50)), FailureKind::Timeout, 3),
        (ServerReply::HangsUp, FailureKind::Unreachable, 3),
        (ServerReply::Plain(429, "retry-after: 0\r\n", "slow down".to_owned()), FailureKind::RateLimited, 3),
        (ServerReply::Plain(500, "", "<html>oops</html>".to_owned()), FailureKind::ServerError, 3),
        (ServerReply::Plain(200, "", error.clone()), FailureKind::ServerError, 3),
        (ServerReply::Plain(401, "", error), FailureKind::Denied, 1),
        (ServerReply::Plain(404, "", "{\"error\":\"no such model\"}".to_owned()), FailureKind::Denied, 1),
        (ServerReply::Plain(302, "location: http://127.0.0.1:1/\r\n", String::new()), FailureKind::Denied, 1),
        (ServerReply::Noise, FailureKind::Malformed, 1),
        (ServerReply::Plain(200, "", "<html>hello</html>".to_owned()), FailureKind::Malformed, 1),
        (ServerReply::Plain(200, "", "{\"choices\":[]}".to_owned()), FailureKind::Malformed, 1),
        (ServerReply::Plain(200, "", "{\"choices\":7}".to_owned()), FailureKind::Malformed, 1),
        (ServerReply::Plain(200, "", "[]".to_owned()), FailureKind::Malformed, 1),
        (ServerReply::Plain(200, "", null), FailureKind::Empty, 1),
        (ServerReply::Plain(200, "", filtered.to_string()), FailureKind::Refusal, 1),
        (ServerReply::Plain(200, "", refusal), FailureKind::Refusal, 1),
        (ServerReply::says("I'm sorry, but I can't help with that."), FailureKind::Refusal, 1),
        (ServerReply::says(" \n"), FailureKind::Empty, 1),
        (ServerReply::says("{\"plan\": \"win\"}"), FailureKind::Malformed, 1),
        (ServerReply::Huge(2 * 1024 * 1024), FailureKind::TooLarge, 1),
    ];
    for (reply, kind, asked) in cases {
        let name = format!("{reply:?}").chars().take(60).collect::<String>();
        let server = ModelServer::script(vec![reply]);
        let began = Instant::now();
        let timeout = if kind == FailureKind::Timeout { SHORT } else { LONG };
        let failure = EndpointPlayer::new(chat(&server, timeout)).propose(&context()).unwrap_err();
        assert_eq!((failure.kind, server.requests().len()), (kind, asked), "{name}: {failure}");
        assert!(!failure.message.contains(KEY), "{failure}");
        assert!(began.elapsed() < LONG, "{name}");
    }
}

#[test]
fn an_unreachable_address_is_a_failure() {
    // A port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let chat = ChatEndpoint::new(&format!("http://127.0.0.1:{port}"), "m").unwrap().limits(limits(LONG));
    let failure = EndpointPlayer::new(chat).propose(&context()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable, "{failure}");
    assert!(failure.message.starts_with(&format!("127.0.0.1:{port} ")), "{failure}");
}

#[test]
fn a_broken_model_ends_the_episode_as_failed_and_not_as_a_loop() {
    for (reply, timeout) in [
        (ServerReply::Silence(LONG), SHORT),
        (ServerReply::Plain(500, "", String::new()), LONG),
        (ServerReply::Plain(200, "", "not json".to_owned()), LONG),
        (ServerReply::says("I can't help with that."), LONG),
        (ServerReply::says(""), LONG),
        (ServerReply::Plain(401, "", format!("{{\"error\":\"bad key {KEY}\"}}")), LONG),
    ] {
        let server = ModelServer::script(vec![reply.clone()]);
        let (episode, journal) = play(&server, timeout, 0.0);
        assert!(matches!(episode.ending, EpisodeEnding::ModelFailed(_)), "{reply:?}: {:?}", episode.ending);
        assert_eq!(episode.turns, 0);
        assert!(!journal.contains("stuck_termination") && !journal.contains("loop_break"), "{journal}");
        assert!(!journal.contains(KEY), "the key is in the journal");
        assert!(journal.contains("\"ending\":\"model_failed\""));
    }
}

#[test]
fn a_model_that_fails_every_other_time_continues() {
    let server = ModelServer::new(|number, _| match number % 3 {
        0 => ServerReply::says("I can't help with that."),
        1 => ServerReply::says(if number % 2 == 0 { "north" } else { "south" }),
        _ => ServerReply::Plain(200, "", "{}".to_owned()),
    });
    let (episode, _) = play(&server, LONG, 0.0);
    assert_eq!(episode.ending.as_str(), "loop_break", "{:?}", episode.ending);
    assert!(episode.player_failures > 10);
}

#[test]
fn a_model_that_repeats_itself_is_stopped_as_a_loop_and_its_usage_is_counted() {
    let server = ModelServer::new(|number, _| {
        ServerReply::says(if number % 2 == 0 { "examine panel" } else { "touch panel" })
    });
    let (episode, journal) = play(&server, LONG, 0.0);
    assert_eq!(episode.ending, EpisodeEnding::LoopBreak(loopbreak::Pattern::StuckNoProgress));
    assert_eq!(episode.player_failures, 0);
    let asked = server.requests().len() as u64;
    assert_eq!(episode.usage.input_tokens, Some(1000 * asked));
    assert!(journal.contains("\"usage\":{\"input_tokens\":"));
    // The model is told what was refused, so that it can do better.
    let told =
        server.requests().iter().any(|request| request.body.to_string().contains("Refused in this turn"));
    assert!(told);
}

#[test]
fn an_expensive_model_reaches_the_cost_limit() {
    let server = ModelServer::script(vec![ServerReply::says("look")]);
    // 0.0012 per call.
    let (episode, _) = play(&server, LONG, 0.006);
    assert_eq!(episode.ending, EpisodeEnding::LoopBreak(loopbreak::Pattern::MaxCost));
    assert!(episode.turns <= 5, "{}", episode.turns);
}

#[test]
fn a_critic_gives_a_score_or_fails() {
    let server = ModelServer::script(vec![
        ServerReply::says("{\"score\": 0.25, \"reason\": \"was tried before\"}"),
        ServerReply::says("great!"),
    ]);
    let mut critic = EndpointCritic::new(chat(&server, LONG));
    let opinion = critic.judge(&context(), "north").unwrap().unwrap();
    assert_eq!((opinion.score, opinion.justification.as_str()), (0.25, "was tried before"));
    assert!(server.requests()[0].body.to_string().contains("The player proposes: north"));
    assert_eq!(critic.judge(&context(), "north").unwrap_err().kind, FailureKind::Malformed);
    assert_eq!(critic.take_usage().input_tokens, Some(2000));
}

#[test]
fn waiting_for_a_model_can_be_cancelled() {
    let server = ModelServer::script(vec![ServerReply::Silence(LONG)]);
    let cancel = CancelFlag::default();
    let mut player = EndpointPlayer::new(chat(&server, LONG).cancel(cancel.clone()));
    let began = Instant::now();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        cancel.cancel();
    });
    assert_eq!(player.propose(&context()).unwrap_err().kind, FailureKind::Timeout);
    assert!(began.elapsed() < LONG);
}
