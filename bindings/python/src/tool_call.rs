//! Calls and their outcomes, as the frameworks of agents represent them.

use std::borrow::Cow;

use loopbreak::agent::AgentCall;
use loopbreak::step::{Denial, EpochMillis, Label, StepText};
use loopbreak::{Action, Outcome, Usage};
use loopbreak_store::now;
use pyo3::exceptions::{PyBaseException, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PyString};
use serde_json::value::RawValue;

use crate::json_input::{dict_of, lenient_text, plain_json};

/// Longest name of a tool or an agent, in bytes.
const NAME_BYTES: usize = 512;

/// A call with everything that `before` and `after` are given about it. It owns its texts.
pub(crate) struct ToolCall {
    pub(crate) call: AgentCall<'static>,
    /// Number of bytes of its texts.
    pub(crate) bytes: usize,
}

impl ToolCall {
    pub(crate) fn read(
        name: &Bound<'_, PyAny>,
        args: Option<&Bound<'_, PyAny>>,
        agent: Option<&Bound<'_, PyAny>>,
        batch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut action = Action::new(read_name(name, "name")?);
        let args = args.filter(|args| !args.is_none()).map(args_json);
        let bytes = args.as_ref().map_or(0, |args| args.get().len());
        action.args = args.map(Into::into);
        let agent =
            agent.filter(|agent| !agent.is_none()).map(|agent| read_name(agent, "agent")).transpose()?;
        let batch = batch.filter(|batch| !batch.is_none()).map(|batch| Label::from(lenient_name(batch)));
        let call =
            AgentCall { action, agent: agent.map(StepText::from), batch, at: Some(EpochMillis(now())) };
        Ok(ToolCall { call, bytes })
    }
}

/// Reads a name, which must be a text.
fn read_name(value: &Bound<'_, PyAny>, what: &str) -> PyResult<String> {
    let Ok(text) = value.cast::<PyString>() else {
        let kind = value.get_type().qualname()?.to_string_lossy().into_owned();
        return Err(PyTypeError::new_err(format!("{what} must be a str, not {kind}")));
    };
    Ok(clip(text.to_string_lossy()))
}

fn lenient_name(value: &Bound<'_, PyAny>) -> String {
    clip(Cow::Owned(lenient_text(value)))
}

fn clip(text: Cow<'_, str>) -> String {
    let mut text = text.into_owned();
    text.truncate(text.floor_char_boundary(NAME_BYTES));
    text
}

/// Returns the arguments as JSON. A text that is a JSON object is taken as it is, because many models write the arguments that
/// way.
fn args_json(args: &Bound<'_, PyAny>) -> Box<RawValue> {
    if let Ok(text) = args.cast::<PyString>() {
        let text = text.to_string_lossy();
        let trimmed = text.trim();
        if trimmed.starts_with(['{', '['])
            && let Ok(raw) = serde_json::from_str::<Box<RawValue>>(trimmed)
        {
            return raw;
        }
    }
    RawValue::from_string(plain_json(args)).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// Reads what came of a call.
pub(crate) fn read_outcome(
    outcome: Option<&Bound<'_, PyAny>>,
    error: Option<&Bound<'_, PyAny>>,
    exit: Option<i64>,
    denied: Option<&str>,
) -> PyResult<Option<Outcome<'static>>> {
    let outcome = outcome.filter(|outcome| !outcome.is_none());
    let error = error.filter(|error| !error.is_none());
    let denied =
        denied.map(|name| name.parse::<Denial>().map_err(|error| PyValueError::new_err(error.to_string())));
    let denied = denied.transpose()?;
    let mut read = Outcome { exit, denied, ..Outcome::default() };
    if let Some(outcome) = outcome {
        read.text = Some(outcome_text(outcome).into());
        if outcome.is_instance_of::<PyBaseException>() {
            read.error = Some(true);
        }
    }
    if let Some(error) = error {
        if let Ok(flag) = error.cast::<PyBool>() {
            read.error = Some(flag.is_true());
        } else {
            read.error = Some(true);
            read.text.get_or_insert_with(|| outcome_text(error).into());
        }
    }
    let is_known = read.text.is_some() || read.error.is_some() || exit.is_some() || denied.is_some();
    Ok(is_known.then_some(read))
}

/// Returns the text of an outcome. An exception has its type and message.
fn outcome_text(outcome: &Bound<'_, PyAny>) -> String {
    if !outcome.is_instance_of::<PyBaseException>() {
        return lenient_text(outcome);
    }
    let kind = outcome.get_type().name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let message = outcome.str().map(|text| text.to_string_lossy().into_owned()).unwrap_or_default();
    if message.is_empty() { kind } else { format!("{kind}: {message}") }
}

/// Reads the cost of a step: a dict, or an object with these attributes.
pub(crate) fn read_usage<'py>(usage: Option<&Bound<'py, PyAny>>) -> PyResult<Option<Usage>> {
    let Some(usage) = usage.filter(|usage| !usage.is_none()) else { return Ok(None) };
    let py = usage.py();
    let dict = dict_of(usage)?;
    let part = |name: &Bound<'py, PyString>| -> PyResult<Option<Bound<'py, PyAny>>> {
        let found = match &dict {
            Some(dict) => dict.get_item(name)?,
            None => usage.getattr_opt(name)?,
        };
        Ok(found.filter(|value| !value.is_none()))
    };
    let tokens = |name: &Bound<'py, PyString>| -> PyResult<Option<u64>> {
        let Some(value) = part(name)? else { return Ok(None) };
        let count = value.cast::<PyInt>().ok().and_then(|count| count.extract::<u64>().ok());
        count.map(Some).ok_or_else(|| {
            PyValueError::new_err(format!("usage: {name} must be a number of tokens, not {value}"))
        })
    };
    let cost = part(intern!(py, "cost_usd"))?;
    let dollars = |cost: Bound<'py, PyAny>| {
        cost.extract::<f64>().map_err(|_| {
            PyValueError::new_err(format!("usage: cost_usd must be a number of US dollars, not {cost}"))
        })
    };
    let cost_usd = cost.map(dollars).transpose()?.filter(|cost| cost.is_finite());
    Ok(Some(Usage {
        input_tokens: tokens(intern!(py, "input_tokens"))?,
        output_tokens: tokens(intern!(py, "output_tokens"))?,
        cache_read_tokens: tokens(intern!(py, "cache_read_tokens"))?,
        cache_write_tokens: tokens(intern!(py, "cache_write_tokens"))?,
        cache_write_1h_tokens: tokens(intern!(py, "cache_write_1h_tokens"))?,
        cost_usd,
    }))
}
