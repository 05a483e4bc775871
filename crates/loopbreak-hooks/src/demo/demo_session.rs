//! Plays the recording through the hooks.

use std::cell::RefCell;
use std::io;
use std::path::Path;

use loopbreak::{Action, Settings, Step};
use serde_json::{Value, json};

use super::demo_moment::DemoMoment;
use crate::answer_event::answer;
use crate::hook_agent::HookAgent;
use crate::hook_environment::{HookEnvironment, HookSettings};
use crate::temporary_folder::TemporaryFolder;

/// A recorded agent: one step per line. It was invented for this demonstration.
const RECORDING: &str = include_str!("recorded_run.jsonl");
/// Agent whose hook answers.
const AGENT: &str = "claude-code";
/// Time of the first step, and between two steps, in milliseconds.
const FIRST_MS: i64 = 1_700_000_000_000;
const STEP_MS: i64 = 2_000;

/// A demonstration that could not be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DemoError {
    /// There is no folder for the session.
    #[error("cannot create a temporary folder in {0}; set TMPDIR to another one")]
    Folder(#[from] io::Error),
    /// The hook failed.
    #[error("the hook failed: {0}")]
    Hook(String),
    /// The recording cannot be read.
    #[error("cannot read the recording: {0}")]
    Recording(#[from] serde_json::Error),
}

/// Plays the recording until a call is refused, and passes each moment to `show`. Ends early if `show` returns false.
pub fn play_demo(settings: &Settings, show: &mut dyn FnMut(&DemoMoment) -> bool) -> Result<(), DemoError> {
    let steps: Vec<Step<'_>> = RECORDING.lines().map(Step::from_json).collect::<Result<_, _>>()?;
    let folder = TemporaryFolder::new("demo")?;
    DemoSession { settings, folder: folder.path(), steps: &steps }.play(show)
}

/// The session of the recorded agent.
struct DemoSession<'d> {
    settings: &'d Settings,
    folder: &'d Path,
    steps: &'d [Step<'d>],
}

impl DemoSession<'_> {
    fn play(&self, show: &mut dyn FnMut(&DemoMoment) -> bool) -> Result<(), DemoError> {
        let in_all = self.steps.iter().filter(|step| step.action.is_some()).count();
        let mut moments = vec![DemoMoment::Start { calls: in_all }];
        for (at, step) in self.steps.iter().enumerate() {
            if let Some(text) = &step.user {
                self.send(at, "UserPromptSubmit", json!({ "prompt": text.to_string() }))?;
                moments.push(DemoMoment::User(text.to_string()));
            }
            if let Some(text) = &step.say {
                moments.push(DemoMoment::Say(text.to_string()));
            }
            let mut is_refused = false;
            if let Some(action) = &step.action {
                is_refused = self.call(at, action, &mut moments)?;
            }
            for moment in moments.drain(..) {
                if !show(&moment) {
                    return Ok(());
                }
            }
            if is_refused {
                show_end(&self.savings(at), show);
                return Ok(());
            }
        }
        show_end(&DemoMoment::NotRefused, show);
        Ok(())
    }

    /// Makes a call. Returns whether it was refused.
    fn call(&self, at: usize, action: &Action<'_>, moments: &mut Vec<DemoMoment>) -> Result<bool, DemoError> {
        let args: Value =
            action.args.as_ref().map_or(Ok(Value::Null), |args| serde_json::from_str(args.json()))?;
        let call = call_text(&action.name, &args);
        // Each step is a turn, also a message of the user.
        let turn = at + 1;
        let mut event =
            json!({"tool_name": action.name, "tool_input": args, "tool_use_id": format!("call-{turn}")});
        let before = self.send(at, "PreToolUse", event.clone())?;
        if let Some(text) = text_at(&before, "permissionDecisionReason") {
            moments.push(DemoMoment::Refusal { turn, call, text });
            return Ok(true);
        }
        let output =
            self.steps[at].outcome.as_ref().and_then(|outcome| outcome.text.as_deref()).unwrap_or_default();
        event["tool_response"] = json!({"stdout": output, "stderr": "", "interrupted": false});
        let after = self.send(at, "PostToolUse", event)?;
        moments.push(DemoMoment::Call { turn, call, output: output.to_owned() });
        moments.extend(text_at(&after, "additionalContext").map(DemoMoment::Advice));
        Ok(false)
    }

    /// Returns what the recorded agent does from a refused call on.
    fn savings(&self, at: usize) -> DemoMoment {
        let line = |step: &Step<'_>| step.action.as_ref().map(Action::line).map(std::borrow::Cow::into_owned);
        let (refused, rest) = (line(&self.steps[at]), &self.steps[at..]);
        let tokens = rest.iter().filter_map(|step| step.usage);
        let tokens =
            tokens.map(|usage| usage.input_tokens.unwrap_or(0) + usage.output_tokens.unwrap_or(0)).sum();
        DemoMoment::Saved {
            calls: rest.iter().filter(|step| step.action.is_some()).count(),
            same: rest.iter().filter(|step| line(step) == refused).count(),
            tokens,
        }
    }

    /// Passes an event to the hook and returns its answer.
    fn send(&self, at: usize, name: &str, mut event: Value) -> Result<Value, DemoError> {
        event["hook_event_name"] = name.into();
        event["session_id"] = "demo".into();
        event["cwd"] = self.folder.to_string_lossy().into();
        let warnings = RefCell::new(Vec::new());
        let environment = HookEnvironment {
            parent_run: None,
            connect: None,
            store: Some(self.folder.join("loopbreak.db")),
            disabled: false,
            limit: None,
            clock: &|| FIRST_MS + STEP_MS * i64::try_from(at).unwrap_or(0),
            user_config: None,
            load_settings: &|_| Ok(HookSettings::from(self.settings.clone())),
            find_agent: None,
            warn: &|text| warnings.borrow_mut().push(text.to_owned()),
        };
        let agent = AGENT.parse::<&dyn HookAgent>().ok();
        let answered = answer(agent, event.to_string().as_bytes(), &environment);
        if let Some(warning) = warnings.into_inner().first() {
            return Err(DemoError::Hook(warning.clone()));
        }
        Ok(answered.map_or(Ok(Value::Null), |answer| serde_json::from_str(&answer))?)
    }
}

/// Shows the last two moments.
fn show_end(moment: &DemoMoment, show: &mut dyn FnMut(&DemoMoment) -> bool) {
    if show(moment) {
        show(&DemoMoment::Next);
    }
}

/// Returns a text of a hook's answer.
fn text_at(answer: &Value, key: &str) -> Option<String> {
    answer["hookSpecificOutput"][key].as_str().map(str::to_owned)
}

/// Returns a call as people read it.
fn call_text(name: &str, args: &Value) -> String {
    let argument = ["command", "file_path"].iter().find_map(|key| args[*key].as_str());
    match argument {
        Some(command) if args.get("command").is_some() => command.to_owned(),
        Some(path) => format!("{name} {path}"),
        None => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use loopbreak::Mode;

    use super::*;

    fn moments(settings: &Settings) -> Vec<DemoMoment> {
        let mut moments = Vec::new();
        let mut show = |moment: &DemoMoment| {
            moments.push(moment.clone());
            true
        };
        play_demo(settings, &mut show).unwrap();
        moments
    }

    fn calls(moments: &[DemoMoment]) -> usize {
        moments.iter().filter(|moment| matches!(moment, DemoMoment::Call { .. })).count()
    }

    #[test]
    fn the_agent_is_advised_then_refused_and_the_rest_is_counted() {
        let moments = moments(&Settings::default());
        let advice = moments.iter().position(|moment| matches!(moment, DemoMoment::Advice(_))).unwrap();
        let refusal = moments.iter().position(|moment| matches!(moment, DemoMoment::Refusal { .. })).unwrap();
        assert!(advice < refusal, "{moments:?}");
        // The guard is silent while the agent makes progress.
        assert!(calls(&moments[..advice]) >= 5, "{moments:?}");
        let Some(DemoMoment::Saved { calls: saved, same, tokens }) = moments.get(refusal + 1) else {
            panic!("{moments:?}")
        };
        let DemoMoment::Start { calls: in_all } = moments[0] else { panic!("{moments:?}") };
        assert_eq!((calls(&moments) + saved, same), (in_all, saved));
        assert!(*tokens > 100_000, "{tokens}");
        assert_eq!(moments.last(), Some(&DemoMoment::Next));
    }

    /// The guard named turns 5, 6, 7, and the screen called them calls 4, 5, 6.
    #[test]
    fn the_turns_that_the_guard_names_are_those_on_the_screen() {
        let moments = moments(&Settings::default());
        let at = moments.iter().position(|moment| matches!(moment, DemoMoment::Advice(_))).unwrap();
        let DemoMoment::Advice(advice) = &moments[at] else { panic!("{moments:?}") };
        let named = advice.split_once("(turns ").unwrap().1.split_once(')').unwrap().0;
        let named: Vec<usize> = named.split(", ").map(|turn| turn.parse().unwrap()).collect();
        let shown: Vec<usize> = moments[..at]
            .iter()
            .filter_map(|moment| match moment {
                DemoMoment::Call { turn, .. } => Some(*turn),
                _ => None,
            })
            .collect();
        assert!(named.len() >= 3 && shown.ends_with(&named), "{named:?} {shown:?}");
    }

    #[test]
    fn a_guard_that_is_off_lets_the_recording_end() {
        let moments = moments(&Settings { mode: Mode::Off, ..Settings::default() });
        assert!(!moments.iter().any(|moment| matches!(moment, DemoMoment::Advice(_))), "{moments:?}");
        assert!(moments.contains(&DemoMoment::NotRefused));
        assert_eq!(moments[0], DemoMoment::Start { calls: calls(&moments) });
    }

    #[test]
    fn it_takes_about_half_a_minute() {
        let pauses = moments(&Settings::default());
        let seconds = pauses.iter().map(|moment| moment.pause().as_secs_f64()).sum::<f64>();
        assert!((20.0..40.0).contains(&seconds), "{seconds}");
    }
}
