//! Steps in, verdicts out.

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use loopbreak_store::service::TokenScope;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::api_error::ApiError;
use super::service_api::{ApiRequest, ServiceApi, json_text, typed, wrong_type};
use crate::mcp::protocol::tool_arguments::read;
use crate::mcp::tools::{ProposalInput, StepInput, check_proposal};
use crate::service::guards::RunCall;
use crate::service::{IngestItem, StepSink as _};

/// Largest number of steps in a request.
const MAX_STEPS: usize = 1000;
/// Types of a body with one step per line.
const LINE_TYPES: [&str; 4] =
    ["application/x-ndjson", "application/ndjson", "application/jsonl", "application/json-lines"];
/// Deepest nesting of a step.
const MAX_DEPTH: usize = 64;

/// A step with its run, as the API receives it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct StepRequest {
    /// Idempotency key. A step that is sent again with the same key counts once and gets the same answer.
    #[serde(default)]
    #[schemars(length(min = 1, max = 200))]
    #[expect(dead_code, reason = "only its schema is used: the key is taken out before the step is read")]
    pub(super) id: Option<String>,
}

/// The form in which steps came, and in which the answers go back.
enum StepForm {
    One,
    Array,
    Lines,
}

pub(super) async fn post_steps(
    State(api): State<ServiceApi>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let request = ApiRequest::new(request, TokenScope::Ingest)?;
    let (caller, header_key) = (request.caller.clone(), request.idempotency_key()?);
    let content_type = request.content_type();
    let is_lines = LINE_TYPES.contains(&content_type.as_str());
    if !is_lines && content_type != "application/json" {
        return Err(wrong_type("application/json or application/x-ndjson"));
    }
    let bytes = request.bytes().await?;
    let (objects, form) = if is_lines { read_lines(&bytes)? } else { read_json(&bytes)? };
    if objects.len() > MAX_STEPS {
        return Err(ApiError::invalid(
            format!("The request has {} steps; at most {MAX_STEPS} are accepted", objects.len()),
            "Send them in several requests",
        ));
    }
    let is_one = matches!(form, StepForm::One);
    let items = objects.into_iter().enumerate().map(|(index, object)| {
        let key = header_key.as_ref().map(|key| if is_one { key.clone() } else { format!("{key}/{index}") });
        read_item(object, key).map_err(|error| if is_one { error } else { error.in_step(index) })
    });
    let items = items.collect::<Result<Vec<IngestItem>, ApiError>>()?;
    api.limits.take(&caller.id, items.len())?;
    let answers = api.pool.ingest(&caller.project, items).await?;
    let answers: Vec<String> = answers.into_iter().map(|answer| answer.json).collect();
    Ok(match form {
        StepForm::One => json_text(answers.concat()),
        StepForm::Array => json_text(format!("[{}]", answers.join(","))),
        StepForm::Lines => {
            typed("application/x-ndjson", answers.into_iter().map(|answer| answer + "\n").collect())
        }
    })
}

fn read_json(bytes: &[u8]) -> Result<(Vec<Map<String, Value>>, StepForm), ApiError> {
    let hint = "Send a step, an array of steps, or one step per line with Content-Type: application/x-ndjson";
    match serde_json::from_slice(bytes) {
        Ok(Value::Object(object)) => Ok((vec![object], StepForm::One)),
        Ok(Value::Array(items)) => {
            let objects = items.into_iter().enumerate().map(|(index, item)| match item {
                Value::Object(object) => Ok(object),
                _ => Err(ApiError::invalid("It is not an object", hint).in_step(index)),
            });
            Ok((objects.collect::<Result<_, _>>()?, StepForm::Array))
        }
        Ok(_) => Err(ApiError::invalid("The body is not a step", hint)),
        Err(error) => Err(ApiError::invalid(format!("The body is not JSON: {error}"), hint)),
    }
}

fn read_lines(bytes: &[u8]) -> Result<(Vec<Map<String, Value>>, StepForm), ApiError> {
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let objects = lines.enumerate().map(|(index, line)| {
        serde_json::from_slice(line).map_err(|error| {
            ApiError::invalid(format!("It is not a JSON object: {error}"), "Write one step per line")
                .in_step(index)
        })
    });
    Ok((objects.collect::<Result<_, _>>()?, StepForm::Lines))
}

fn read_item(mut object: Map<String, Value>, header_key: Option<String>) -> Result<IngestItem, ApiError> {
    let own_key = match object.remove("id") {
        None | Some(Value::Null) => None,
        Some(Value::String(key)) => Some(key),
        Some(_) => return Err(ApiError::invalid("Invalid `id`: expected a text", "Use 1 to 200 bytes")),
    };
    check_depth(&object)?;
    whole_numbers(&mut object);
    let StepInput { run, step } = read(object).map_err(ApiError::malformed)?;
    let run = run.ok_or_else(missing_run)?;
    Ok(IngestItem { run, key: own_key.or(header_key), step })
}

/// Checks that a value is not nested too deeply to be stored and read again.
pub(super) fn check_depth(object: &Map<String, Value>) -> Result<(), ApiError> {
    fn is_flat(value: &Value, left: usize) -> bool {
        match value {
            Value::Array(items) => left > 0 && items.iter().all(|item| is_flat(item, left - 1)),
            Value::Object(fields) => left > 0 && fields.values().all(|field| is_flat(field, left - 1)),
            _ => true,
        }
    }
    if object.values().all(|value| is_flat(value, MAX_DEPTH)) {
        return Ok(());
    }
    let hint = "Send deep arguments as a text";
    Err(ApiError::unusable(format!("The step is nested more than {MAX_DEPTH} levels deep"), hint))
}

/// Writes numbers such as `2.0` as integers, which they are in JSON. Arguments of tools stay as they are: they are compared as they
/// were sent.
pub(super) fn whole_numbers(object: &mut Map<String, Value>) {
    for (name, value) in object.iter_mut() {
        if name != "args" {
            make_whole(value);
        }
    }
}

fn make_whole(value: &mut Value) {
    // The first float above `u64::MAX`, and `i64::MIN`, as which integers below it are read too.
    const END: f64 = 18_446_744_073_709_551_616.0;
    const START: f64 = -9_223_372_036_854_775_808.0;
    match value {
        Value::Number(number) => {
            let float = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0);
            match float {
                Some(float) if (0.0..END).contains(&float) => *value = (float as u64).into(),
                Some(float) if START < float && float < 0.0 => *value = (float as i64).into(),
                _ => {}
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_whole),
        Value::Object(fields) => whole_numbers(fields),
        _ => {}
    }
}

pub(super) fn missing_run() -> ApiError {
    ApiError::invalid(
        "Missing argument `run`",
        "Name the run: any text of 1 to 200 characters, the same for one job",
    )
}

pub(super) async fn weigh(
    State(api): State<ServiceApi>,
    request: Request<Body>,
) -> Result<Response, ApiError> {
    let request = ApiRequest::new(request, TokenScope::Ingest)?;
    let caller = request.caller.clone();
    let mut object = request.object().await?;
    check_depth(&object)?;
    whole_numbers(&mut object);
    let ProposalInput { run, proposal } = read(object).map_err(ApiError::malformed)?;
    check_proposal(&proposal)?;
    let run = run.ok_or_else(missing_run)?;
    let call = RunCall::Weigh(Box::new(proposal));
    let answer = api.pool.call(&caller.project, &run, call, None, String::new()).await??;
    Ok(json_text(answer))
}
