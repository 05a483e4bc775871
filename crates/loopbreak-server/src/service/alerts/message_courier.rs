//! Sends the messages about alerts. They wait in the store, so none is lost when a server ends, and one server at a time has each.

use std::collections::BTreeMap;
use std::sync::Arc;

use loopbreak::settings::AlertRule;
use loopbreak_notify::{HttpSender, MessageForm, NotificationText};
use loopbreak_store::now;
use loopbreak_store::service::{DueMessage, MessageOutcome, MessageState, ServiceStore};

/// Time that one attempt may take, with what is stored about it, in milliseconds. After it, the server that took a message counts
/// as gone.
const ATTEMPT_MS: i64 = 60 * 1000;
/// Pauses after a failed attempt, in milliseconds. After the last one, a message is given up.
const PAUSES_MS: [i64; 4] = [5 * 1000, 30 * 1000, 2 * 60 * 1000, 10 * 60 * 1000];

/// Sends messages.
#[derive(Debug)]
pub(super) struct MessageCourier {
    store: Arc<dyn ServiceStore>,
    /// The names of the rules.
    rules: Vec<String>,
    /// Senders by rule and form. An address that cannot be used has its error.
    senders: BTreeMap<(String, String), Result<HttpSender, String>>,
}

impl MessageCourier {
    pub(super) fn new(store: Arc<dyn ServiceStore>, rules: &[AlertRule]) -> Self {
        let senders = rules.iter().flat_map(|rule| {
            rule.addresses().map(|(form, address)| {
                let sender = HttpSender::new(address).map_err(|error| error.to_string());
                ((rule.name.clone(), form.to_owned()), sender)
            })
        });
        let senders = senders.collect();
        MessageCourier { store, rules: rules.iter().map(|rule| rule.name.clone()).collect(), senders }
    }

    /// Sends a message that is due. Returns whether there was one.
    pub(super) fn send_next(&self) -> bool {
        let rules: Vec<&str> = self.rules.iter().map(String::as_str).collect();
        let time = now();
        let Ok(Some(due)) = self.store.take_message(&rules, time, time + ATTEMPT_MS) else { return false };
        let outcome = self.attempt(&due);
        // If that cannot be stored, the message is sent again later: once too often is better than never.
        self.store.settle_message(due.id, &outcome, now()).is_ok()
    }

    /// Makes one attempt to send a message.
    pub(super) fn attempt(&self, due: &DueMessage) -> MessageOutcome {
        let failed = |error: String| MessageOutcome { state: MessageState::Failed, error, due: 0 };
        if due.attempt > PAUSES_MS.len() as u64 + 1 {
            return failed("the server ended during the last attempt".to_owned());
        }
        let form = MessageForm::ALL.into_iter().find(|form| form.as_str() == due.form);
        let sender = self.senders.get(&(due.alert.rule.clone(), due.form.clone()));
        let (form, sender) = match (form, sender) {
            (Some(form), Some(Ok(sender))) => (form, sender),
            (_, Some(Err(error))) => return failed(error.clone()),
            _ => return failed("the rule has no such address any more".to_owned()),
        };
        let text = NotificationText::new(&due.alert.title, &due.alert.reason, &due.alert.place);
        match sender.send(&form.render(&text, &due.alert.detail)) {
            Ok(()) => MessageOutcome { state: MessageState::Told, error: String::new(), due: 0 },
            Err(error) => {
                let pause = PAUSES_MS.get(due.attempt.saturating_sub(1) as usize).filter(|_| error.again);
                let error = format!("{}: {}", sender.place(), error.reason);
                match pause {
                    Some(pause) => MessageOutcome { state: MessageState::Waiting, error, due: now() + pause },
                    None => failed(error),
                }
            }
        }
    }
}
