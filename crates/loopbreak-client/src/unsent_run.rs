//! The steps of a run as they are sent to a service.

use loopbreak::step::StepText;
use loopbreak::text::{clip, inert};
use loopbreak::{Action, Step};
use loopbreak_store::{NewUnsentStep, mask_step};
use serde_json::{Map, Value};
use xxhash_rust::xxh3::xxh3_64;

/// Longest name of a run, in bytes. The service accepts no longer one.
const RUN_BYTES: usize = 200;
/// Longest outcome and message that are sent, in bytes. The beginning of a longer one is.
const TEXT_BYTES: usize = 64 * 1024;
/// Largest step that is sent, in bytes.
const STEP_BYTES: usize = 1024 * 1024;

/// The steps of a run as they are sent to a service.
#[derive(Clone, Debug)]
pub struct UnsentRun {
    server: String,
    run: String,
    agent: Option<String>,
    model: Option<String>,
    steps: Vec<NewUnsentStep>,
}

impl UnsentRun {
    /// Creates a list without steps for a run of an agent program.
    pub fn new(server: &str, run: &str) -> Self {
        let (server, run) = (server.to_owned(), run.to_owned());
        UnsentRun { server, run, agent: None, model: None, steps: Vec::new() }
    }

    /// Names the agent program, for steps that name none.
    #[must_use]
    pub fn of_agent(mut self, agent: &str) -> Self {
        self.agent = Some(agent.to_owned());
        self
    }

    /// Returns the name of a session at the service. A subagent has a run of its own.
    pub fn name(session: &str, subagent: &str) -> String {
        let name = if subagent.is_empty() { session.to_owned() } else { format!("{session}/{subagent}") };
        let plain = inert(&name);
        if plain == name && name.len() <= RUN_BYTES && !name.is_empty() {
            return name;
        }
        // The same in every version of the program, so that a session keeps its run.
        format!("{}-{:016x}", clip(&plain, RUN_BYTES - 20), xxh3_64(name.as_bytes()))
    }

    /// Names the model of the following steps.
    pub fn set_model(&mut self, model: &str) {
        self.model = (!model.is_empty()).then(|| model.to_owned());
    }

    /// Adds a step under an idempotency key, without its secrets. A step that is too large even without its texts is left out.
    pub fn add(&mut self, key: String, step: &Step<'_>) {
        if let Some(step) = self.render(&key, step) {
            let (server, run) = (self.server.clone(), self.run.clone());
            self.steps.push(NewUnsentStep { server, run, key, step });
        }
    }

    fn render(&self, key: &str, step: &Step<'_>) -> Option<String> {
        let mut step = step.clone().into_owned();
        let outcome = step.outcome.as_mut().and_then(|outcome| outcome.text.as_mut());
        for text in outcome.into_iter().chain(&mut step.say).chain(&mut step.user) {
            if text.len() > TEXT_BYTES {
                *text = StepText::from(clip(text, TEXT_BYTES).to_owned());
            }
        }
        step.run = None;
        step.agent = step.agent.or_else(|| self.agent.clone().map(StepText::from));
        step.model = step.model.or_else(|| self.model.clone().map(StepText::from));
        let Value::Object(mut fields) = serde_json::to_value(mask_step(step)?).ok()? else { return None };
        fields.insert("run".to_owned(), self.run.clone().into());
        fields.insert("id".to_owned(), key.into());
        Some(Value::Object(fields).to_string()).filter(|text| text.len() <= STEP_BYTES)
    }

    /// Returns the question whether to take an action, without its secrets.
    pub fn proposal(&self, action: &Action<'_>) -> Option<Value> {
        let step = Step { action: Some(action.clone()), ..Step::default() }.into_owned();
        let action = serde_json::to_value(mask_step(step)?.action?).ok()?;
        let mut fields = Map::new();
        fields.insert("run".to_owned(), self.run.clone().into());
        fields.insert("action".to_owned(), action);
        // The service remembers what each agent of a run did.
        fields.extend(self.agent.clone().map(|agent| ("agent".to_owned(), agent.into())));
        Some(Value::Object(fields))
    }

    /// Returns the name of the run at the service.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// Returns the number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the steps.
    pub fn into_steps(self) -> Vec<NewUnsentStep> {
        self.steps
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sent(step: &Value) -> Value {
        let mut run = UnsentRun::new("https://x", "r").of_agent("codex");
        run.set_model("m-1");
        run.add("k1".to_owned(), &Step::from_json(&step.to_string()).unwrap());
        let steps = run.into_steps();
        serde_json::from_str(&steps[0].step).unwrap()
    }

    #[test]
    fn a_step_has_its_run_key_agent_and_model_and_no_secrets() {
        let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
        let step = json!({"at": 7, "action": {"name": "bash", "args": {"command": format!("push {secret}")}},
                          "outcome": {"text": format!("token {secret}"), "error": true}, "run": "other"});
        let step = sent(&step);
        assert!(!step.to_string().contains("0123456789abc"), "{step}");
        let named = ["run", "id", "agent", "model"].map(|name| step[name].as_str().unwrap_or_default());
        assert_eq!((named, step["outcome"]["error"].as_bool()), (["r", "k1", "codex", "m-1"], Some(true)));
        let action = Step::from_json(r#"{"action":{"name":"bash","args":{"password":"hunter22hunter"}}}"#);
        let asked = UnsentRun::new("s", "r").proposal(action.unwrap().action.as_ref().unwrap()).unwrap();
        assert!(asked["run"] == "r" && !asked.to_string().contains("hunter22"), "{asked}");
    }

    #[test]
    fn long_texts_are_cut() {
        let step = sent(&json!({"say": "x".repeat(900_000), "outcome": "y".repeat(900_000)}));
        assert_eq!(step["say"].as_str().map(str::len), Some(TEXT_BYTES));
        assert_eq!(
            step["outcome"].as_str().or(step["outcome"]["text"].as_str()).map(str::len),
            Some(TEXT_BYTES)
        );
    }

    #[test]
    fn names_of_runs_are_those_of_sessions_if_the_service_accepts_them() {
        assert_eq!(UnsentRun::name("5f3a-77", ""), "5f3a-77");
        assert_eq!(UnsentRun::name("5f3a-77", "sub"), "5f3a-77/sub");
        let odd = UnsentRun::name("a\nb", "");
        assert!(!odd.contains('\n') && odd != UnsentRun::name("a\tb", ""), "{odd}");
        assert!(UnsentRun::name(&"é".repeat(300), "x").len() <= RUN_BYTES);
    }
}
