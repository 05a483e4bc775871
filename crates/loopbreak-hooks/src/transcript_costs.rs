//! Cost of a run, by the usage in its transcript. Events of hooks have none.
//!
//! Only the lines that were added since the last event are read, and only if a budget of money is set.

use std::io;
use std::path::Path;
use std::time::Instant;

use loopbreak::Settings;
use loopbreak::text::{clip, printable};
use loopbreak_store::{TranscriptCost, open_regular_file};
use loopbreak_trace::LogFormat;
use loopbreak_trace::prices::PriceTable;

use crate::hook_budget::has_passed;
use crate::hook_event_kind::HookEventKind;
use crate::hook_request::HookRequest;
use crate::part_reader::{EARLIER_BYTES, read_range};

/// Number of bytes read at most for one event. The next event goes on there.
const NEW_BYTES: u64 = 4 * 1024 * 1024;
/// Longest name of a model that is kept, in bytes.
const MODEL_BYTES: usize = 80;

/// The costs that the new part of a transcript adds.
#[derive(Clone, Debug, Default)]
pub(crate) struct CostUpdate {
    /// Cost of the run so far.
    pub(crate) cost: TranscriptCost,
    /// A model in the new part whose tokens have no price.
    pub(crate) unpriced: Option<String>,
}

impl CostUpdate {
    /// Reads the new part of the transcript that an event names. Returns `None` if there is nothing to read, or if another hook
    /// of the session has read on meanwhile: the next event goes on where it stopped.
    pub(crate) fn read(request: &HookRequest<'_>, known: Option<&TranscriptCost>) -> Option<Self> {
        let (from, update) =
            request.transcript.costs(|| (known.cloned(), CostUpdate::read_file(request, known)))?;
        update.clone().filter(|_| from.as_ref() == known)
    }

    fn read_file(request: &HookRequest<'_>, known: Option<&TranscriptCost>) -> Option<Self> {
        // A call that needs no change is not to wait for the store.
        if !request.settings.budget.limits_cost() || request.kind == HookEventKind::BeforeTool {
            return None;
        }
        let format = request.agent.usage_format().filter(|format| format.has_model_calls())?;
        let subagent = request.event.agent_id.as_deref().filter(|id| !id.is_empty());
        let named = Path::new(request.event.transcript_path.as_deref()?);
        let path = request.agent.usage_transcript(named, subagent)?;
        let part = TranscriptPart {
            format,
            path: path.to_str()?,
            // The file of a subagent has nothing else.
            is_own_file: subagent.is_some(),
            deadline: request.transcript.deadline(),
        };
        part.read(known, request.settings).ok()
    }
}

/// Returns why no costs can be read of an agent, if a budget of money is set.
pub(crate) fn missing_costs(request: &HookRequest<'_>) -> Option<String> {
    let has_usage = request.agent.usage_format().is_some_and(LogFormat::has_model_calls);
    (request.settings.budget.limits_cost() && !has_usage).then(|| {
        format!(
            "Loopbreak: the budgets of money do not count this session: {} does not tell hooks what it costs",
            request.agent.title()
        )
    })
}

/// Returns what the user should know about a model without a price.
pub(crate) fn unpriced_notice(model: &str) -> String {
    if model.is_empty() {
        return "Loopbreak: the budgets of money do not count tokens of a model that the transcript does not name".to_owned();
    }
    let model = printable(model);
    format!(
        "Loopbreak: the budgets of money do not count the tokens of {model:?}, which has no price; set it as [prices.{model:?}] in \
         your configuration"
    )
}

/// The part of a transcript that is read.
struct TranscriptPart<'p> {
    format: LogFormat,
    path: &'p str,
    is_own_file: bool,
    deadline: Option<Instant>,
}

impl TranscriptPart<'_> {
    fn read(&self, known: Option<&TranscriptCost>, settings: &Settings) -> io::Result<CostUpdate> {
        let mut file = match open_regular_file(self.path.as_ref()) {
            Ok(file) => file,
            // A transcript that does not exist yet is read from its beginning, once it does.
            Err(error) if error.kind() == io::ErrorKind::NotFound && known.is_none() => {
                return Ok(CostUpdate { cost: TranscriptCost::new(self.path, 0), unpriced: None });
            }
            Err(error) => return Err(error),
        };
        let size = file.metadata()?.len();
        let (mut cost, is_new) = match known {
            Some(known) if known.path == self.path && known.at <= size => (known.clone(), false),
            Some(known) => (known.clone(), true),
            None => (TranscriptCost::new(self.path, 0), !self.is_own_file),
        };
        if is_new {
            // What a session cost before the guard saw it is not counted.
            cost.move_to(self.path, size);
            let earlier = read_range(&mut file, size.saturating_sub(EARLIER_BYTES), size)?;
            let calls = earlier.split(|byte| *byte == b'\n').filter_map(|line| self.format.model_call(line));
            calls.filter_map(|call| call.model).for_each(|model| set_model(&mut cost, &model));
        }
        let mut update = CostUpdate { cost, unpriced: None };
        let from = update.cost.at;
        let part = read_range(&mut file, from, size.min(from + NEW_BYTES))?;
        let prices = PriceTable::new(settings);
        for line in part.split_inclusive(|byte| *byte == b'\n') {
            if !line.ends_with(b"\n") {
                // The agent may still be writing the last line. One that is too long is skipped, and the rest of it is not valid.
                if line.len() as u64 == NEW_BYTES {
                    update.cost.at += NEW_BYTES;
                }
                break;
            }
            self.count_line(line, &prices, &mut update);
            update.cost.at += line.len() as u64;
            if has_passed(self.deadline) {
                break;
            }
        }
        Ok(update)
    }

    fn count_line(&self, line: &[u8], prices: &PriceTable, update: &mut CostUpdate) {
        let Some(call) = self.format.model_call(line) else { return };
        let cost = &mut update.cost;
        if let Some(model) = call.model {
            set_model(cost, &model);
        }
        let Some(usage) = call.usage else { return };
        let cost_usd = usage.cost_usd.or_else(|| prices.price(&cost.model)?.cost(&usage));
        match cost_usd {
            Some(usd) => cost.add(call.id.as_deref(), usd),
            None if usage.input_tokens.max(usage.output_tokens) > Some(0) => {
                update.unpriced = Some(cost.model.clone());
            }
            None => {}
        }
    }
}

fn set_model(cost: &mut TranscriptCost, model: &str) {
    clip(model, MODEL_BYTES).clone_into(&mut cost.model);
}

#[cfg(test)]
mod tests;
