//! The course of a session, as the requests to the model show it.

use std::fmt;

use loopbreak_hooks::guard_text::{GuardText, guard_texts, guard_texts_in};
use loopbreak_hooks::scripted_model::ModelExchange;
use serde::Serialize;

use super::part_script::{LAST_WORDS, RequestRole, SUMMARY_START};
use super::session_part::SessionPart;

/// The course of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct SessionObservation {
    /// The round after which advice first reached the model.
    pub(super) told: Option<usize>,
    /// The round whose call was the first to be refused.
    pub(super) refused: Option<usize>,
    /// The round whose call was the first to be called an insistence.
    pub(super) insisted: Option<usize>,
    /// The rounds that were played: answers with calls, in all conversations.
    pub(super) rounds: usize,
    /// The calls that the model made, in all conversations.
    pub(super) calls: usize,
    /// The calls that were carried out.
    pub(super) ran: usize,
    /// The requests for an answer, without titles and summaries.
    pub(super) requests: usize,
    /// The summaries that the agent asked for.
    pub(super) summaries: usize,
    /// The ending.
    pub(super) ending: SessionEnding,
}

/// The ending of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SessionEnding {
    /// The model played its part to the end.
    Finished,
    /// The agent ended the session before the part was over.
    Stopped,
    /// The agent asked nothing at all.
    Silent,
    /// The session was ended after too long a time or too many requests.
    Endless,
}

impl SessionObservation {
    /// Reads what happened from the requests. `scripts` is the number of scripts that were run, and `was_ended` says
    /// that the agent did not end by itself.
    pub(super) fn new(
        part: &SessionPart,
        exchanges: &[ModelExchange],
        scripts: usize,
        was_ended: bool,
    ) -> Self {
        let watched = if part.subagent.is_some() { RequestRole::Subagent } else { RequestRole::Main };
        let mut seen = SessionObservation {
            told: None,
            refused: None,
            insisted: None,
            rounds: 0,
            calls: 0,
            ran: 0,
            requests: 0,
            summaries: 0,
            ending: if was_ended { SessionEnding::Endless } else { SessionEnding::Silent },
        };
        let (mut round, mut results) = (0, 0);
        let mut open_calls = 0;
        for ModelExchange { request, answer } in exchanges {
            let role = RequestRole::find(request);
            if role == RequestRole::Errand {
                seen.summaries += usize::from(answer.text.starts_with(SUMMARY_START));
                continue;
            }
            seen.requests += 1;
            seen.rounds += usize::from(!answer.calls.is_empty());
            seen.calls += answer.calls.len();
            if role == RequestRole::Main && !was_ended {
                let is_over = answer.text == LAST_WORDS;
                seen.ending = if is_over { SessionEnding::Finished } else { SessionEnding::Stopped };
            }
            if role != watched {
                continue;
            }
            let texts = guard_texts_in(&request.body);
            let note = |place: &mut Option<usize>, wanted: &dyn Fn(GuardText) -> bool| {
                if place.is_none() && texts.iter().any(|text| wanted(*text)) {
                    *place = Some(round);
                }
            };
            note(&mut seen.told, &|text| text == GuardText::Advice);
            note(&mut seen.refused, &GuardText::is_refusal);
            note(&mut seen.insisted, &|text| text == GuardText::Insistence);
            let last_results = request.conversation.results().rev().take(open_calls);
            results +=
                last_results.filter(|text| !guard_texts(text).iter().any(|text| text.is_refusal())).count();
            open_calls = answer.calls.len();
            round += usize::from(open_calls > 0);
        }
        seen.ran = if part.counts_results { results } else { scripts };
        seen
    }
}

impl fmt::Display for SessionEnding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            SessionEnding::Finished => "finished",
            SessionEnding::Stopped => "stopped",
            SessionEnding::Silent => "silent",
            SessionEnding::Endless => "endless",
        })
    }
}

#[cfg(test)]
mod tests {
    use loopbreak_hooks::scripted_model::{
        ConversationEntry, ModelAnswer, ModelConversation, ModelProtocol, ModelRequest, ScriptedDeed,
        ToolDialect,
    };
    use serde_json::json;

    use super::*;
    use crate::agents::part_list::PARTS;
    use crate::agents::part_script::MAIN_MARK;

    /// A request of the main conversation after these results, and an answer with a call or the last words.
    fn exchange(results: &[&str], is_over: bool) -> ModelExchange {
        let prompt = ConversationEntry::User(format!("Do it. {MAIN_MARK}"));
        let results = results.iter().map(|text| (*text).to_owned());
        let entries = results.clone().map(|text| ConversationEntry::Result { id: String::new(), text });
        let conversation = ModelConversation {
            entries: std::iter::once(prompt).chain(entries).collect(),
            tools: vec!["sh".into()],
        };
        let body = json!({"messages": results.collect::<Vec<_>>()});
        let request =
            ModelRequest { protocol: ModelProtocol::OpenAiChat, path: "/".into(), body, conversation };
        let dialect: ToolDialect = "codex".parse().unwrap();
        let call = ModelAnswer::call([dialect.call(&ScriptedDeed::shell("ls"))]);
        ModelExchange { request, answer: if is_over { ModelAnswer::say(LAST_WORDS) } else { call } }
    }

    fn observe(part: &str, exchanges: &[ModelExchange]) -> SessionObservation {
        let part = PARTS.iter().find(|candidate| candidate.name == part).unwrap();
        SessionObservation::new(part, exchanges, 1, false)
    }

    #[test]
    fn advice_and_refusals_count_from_the_round_after_which_they_arrive() {
        let (told, refused) = ("x\nLoop guard: since turn 2: again.", "Loop guard: refused: ls");
        let exchanges = [
            exchange(&[], false),
            exchange(&["x"], false),
            exchange(&["x", told], false),
            exchange(&["x", told, refused], true),
        ];
        let seen = observe("same-read", &exchanges);
        assert_eq!((seen.told, seen.refused, seen.insisted), (Some(2), Some(3), None));
        assert_eq!((seen.rounds, seen.requests, seen.ran), (3, 4, 2));
        assert_eq!(seen.ending, SessionEnding::Finished);
        assert_eq!(observe("same-call", &exchanges).ran, 1, "scripts count where a part only runs scripts");
    }

    #[test]
    fn a_session_without_last_words_was_stopped_and_one_without_requests_is_silent() {
        assert_eq!(observe("same-call", &[exchange(&[], false)]).ending, SessionEnding::Stopped);
        assert_eq!(observe("same-call", &[]).ending, SessionEnding::Silent);
        let part = &PARTS[0];
        let ended = SessionObservation::new(part, &[exchange(&[], true)], 0, true);
        assert_eq!(ended.ending, SessionEnding::Endless);
    }

    #[test]
    fn requests_for_titles_do_not_count() {
        let mut title = exchange(&[], true);
        title.request.conversation.tools.clear();
        assert_eq!(observe("same-call", &[title]).requests, 0);
    }
}
