//! `noop`: steps that do nothing.
//!
//! Catches: edits that change nothing (`no_change`), by their arguments (the old text is the new text) or by their
//! own words ("No changes made"); edits that report success while the file still holds the old text when it is read
//! again (`no_effect`); edits that undo one another, A for B and B for A (`undone`); and an agent that had tools in
//! hand and only talks (`idle`). Of a run that never called a tool, talk alone is worth a hint.
//! Must not catch: one edit that was not needed; one change that is taken back; a reading of another part of the file;
//! a conversation, for a user's word ends every count; several agents that talk to each other; a final summary; three
//! replies of mere reasoning; short acknowledgements, which neither count nor end the count; outputs of iterations.
//! From: complaints 9, 14, 21.

pub(crate) mod settings;
mod texts;

use serde::{Deserialize, Serialize};

use self::settings::NoopSettings;
use super::{
    Detection, DetectionCollector, Detector, DetectorSubject, DetectorTexts, LoopFamily, Pattern,
    StepContext, StepDetector,
};
use crate::fingerprint::{ActionKind, path_of, unquoted};
use crate::memory::{KEY_BYTES, HashKey, RingBuffer, key_of, key_of_parts};
use crate::text::clip::clip_escaped;
use crate::text::scan::trimmed;
use crate::verdict::Severity;

/// A shorter message is an acknowledgement.
const WORDY: usize = 40;
/// How many edits are remembered, to know one that undoes another.
const EDITS: usize = 8;
/// How much is kept of the text that an edit replaced, and how much tells it from others.
const SNIPPET: usize = 64;
const TELLING: usize = 12;

/// The detector. It judges the run, for what one agent changes another one reads.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct NoopDetector {
    no_change: TurnCount,
    no_effect: TurnCount,
    undone: TurnCount,
    idle: TurnCount,
    edits: RingBuffer<EditRecord>,
    /// The last edit, until the file is read again.
    last: Option<ExpectedContent>,
    speaker: HashKey,
    /// Whether more than one spoke, and whether any tool was ever called.
    others: bool,
    tools: bool,
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct TurnCount {
    count: u32,
    since: u64,
}

impl TurnCount {
    fn one_more(&mut self, turn: u64) {
        if self.count == 0 {
            self.since = turn;
        }
        self.count = self.count.saturating_add(1);
    }
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct EditRecord {
    path: HashKey,
    old: HashKey,
    new: HashKey,
    turn: u64,
}

/// What a file must not hold any more, and what it must hold.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ExpectedContent {
    path: HashKey,
    old: String,
    new: String,
}

impl Detector for NoopDetector {
    type Settings = NoopSettings;

    const SUBJECT: DetectorSubject = DetectorSubject::Effect;
    const TEXTS: &'static DetectorTexts = &texts::TEXTS;

    fn reads_fingerprints(_: &Self::Settings) -> bool {
        true
    }
}

impl StepDetector for NoopDetector {
    fn bytes(&self, digits: usize) -> usize {
        let last = self.last.as_ref().map_or(4, |_| 50 + KEY_BYTES + 2 * SNIPPET);
        260 + 4 * (11 + digits) + KEY_BYTES + last + self.edits.len() * (40 + 3 * KEY_BYTES + digits)
    }

    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &NoopSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.step.user.is_some() || context.further {
            let NoopDetector { speaker, others, tools, .. } = *self;
            *self = NoopDetector { speaker, others, tools, ..NoopDetector::default() };
        }
        if context.step.refused {
            return;
        }
        if context.step.action.is_some() {
            self.tools = true;
            self.idle = TurnCount::default();
            self.edit(context, settings, out);
            self.read(context, settings, out);
        } else {
            self.talk(context, settings, out);
        }
    }
}

impl NoopDetector {
    fn edit(&mut self, context: &StepContext<'_>, settings: &NoopSettings, out: &mut DetectionCollector<'_>) {
        let Some(prints) = context.prints else { return };
        let Some(change) = &prints.change else { return };
        if prints.idle {
            self.no_change.one_more(context.turn);
            sight(Pattern::NoChange, self.no_change, 0, context, settings, out);
            return;
        }
        if prints.failed {
            return;
        }
        let (path, replaced) = (change.path.unwrap_or_default(), &change.replaced);
        let pair = replaced.first();
        let edit = EditRecord {
            path,
            old: pair.map_or(0, |pair| key_of(pair.old)),
            new: pair.map_or(0, |pair| key_of(pair.new)),
            turn: context.turn,
        };
        let undoes =
            |known: &&EditRecord| (known.path, known.old, known.new) == (edit.path, edit.new, edit.old);
        let undone = self.edits.iter().rev().find(undoes).filter(|_| replaced.len() == 1).copied();
        if let Some(undone) = undone {
            if self.undone.count == 0 {
                self.undone.one_more(undone.turn);
            }
            self.undone.one_more(context.turn);
            sight(Pattern::Undone, self.undone, 1, context, settings, out);
        } else if prints.effect {
            (self.no_change, self.undone) = Default::default();
        }
        if replaced.len() == 1 {
            self.edits.push(edit, EDITS);
        }
        self.last = pair.filter(|_| replaced.len() == 1 && path != 0).and_then(|pair| {
            let (old, new) = (telling(pair.old, pair.new)?, telling(pair.new, pair.old)?);
            Some(ExpectedContent { path, old, new })
        });
    }

    /// A file that is read after an edit shows whether it had any effect.
    fn read(&mut self, context: &StepContext<'_>, settings: &NoopSettings, out: &mut DetectionCollector<'_>) {
        let (Some(prints), Some(action), Some(last)) = (context.prints, &context.step.action, &self.last)
        else {
            return;
        };
        if prints.kind != ActionKind::Read || prints.failed || path_of(action) != Some(last.path) {
            return;
        }
        let text =
            context.step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()).unwrap_or_default();
        if contains(text, &last.new) {
            self.no_effect = TurnCount::default();
            self.last = None;
        } else if contains(text, &last.old) {
            self.no_effect.one_more(context.turn);
            self.last = None;
            sight(Pattern::NoEffect, self.no_effect, 2, context, settings, out);
        }
    }

    fn talk(&mut self, context: &StepContext<'_>, settings: &NoopSettings, out: &mut DetectionCollector<'_>) {
        let step = context.step;
        // Whatever the step tells beside its words is something that happened.
        let happened = step.outcome.is_some()
            || step.user.is_some()
            || step.task.is_some()
            || step.place.is_some()
            || step.score.is_some()
            || step.objectives.is_some()
            || step.progress.is_some();
        let Some(say) = step.say.as_deref().filter(|_| !happened) else {
            if happened {
                self.idle = TurnCount::default();
            }
            return;
        };
        let speaker = key_of(context.agent);
        if self.speaker != speaker {
            self.others |= self.speaker != 0;
            (self.speaker, self.idle) = (speaker, TurnCount::default());
        }
        if say.trim().len() < WORDY {
            return;
        }
        self.idle.one_more(context.turn);
        let count = self.idle.count;
        let severity = if !self.tools {
            // Where no tool was ever called, the log may just not tell of them.
            let lonely = !self.others && count >= settings.idle_warn_at.saturating_mul(2);
            lonely.then_some(Severity::Hint)
        } else if settings.idle_hard_at > 0 && count >= settings.idle_hard_at {
            Some(Severity::Hard)
        } else {
            (count >= settings.idle_warn_at).then_some(Severity::Warn)
        };
        let Some(severity) = severity else { return };
        let evidence = out.add(Detection {
            pattern: Pattern::Idle,
            family: LoopFamily::Output,
            identity: key_of_parts(&[self.speaker, 12]),
            since: self.idle.since,
            severity: Some(severity),
            stage: 0,
            count,
            requested_intervention: None,
        });
        evidence.note("messages", count).quote("message", say);
    }
}

/// Sights edits that come to nothing, from the count on at which they matter.
fn sight(
    pattern: Pattern,
    count: TurnCount,
    kind: HashKey,
    context: &StepContext<'_>,
    settings: &NoopSettings,
    out: &mut DetectionCollector<'_>,
) {
    let TurnCount { count, since } = count;
    let severity = if settings.hard_at > 0 && count >= settings.hard_at {
        Severity::Hard
    } else if count >= settings.warn_at {
        Severity::Warn
    } else {
        return;
    };
    let evidence = out.add(Detection {
        pattern,
        family: LoopFamily::Action,
        identity: key_of_parts(&[kind, 13]),
        since,
        severity: Some(severity),
        stage: 0,
        count,
        requested_intervention: None,
    });
    evidence.note("edits", count);
    if let Some(action) = &context.step.action {
        evidence.quote("action", &action.line());
    }
    if let Some(text) = context.step.outcome.as_ref().and_then(|outcome| outcome.text.as_deref()) {
        evidence.quote("outcome", text);
    }
}

/// Whether a piece stands in a text, which can be a whole file.
fn contains(text: &str, piece: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), piece.as_bytes()).is_some()
}

/// The longest piece of a JSON text that is written without escapes and does not stand in the other one: what a file
/// is looked through for.
fn telling(text: &str, other: &str) -> Option<String> {
    let (mut rest, mut longest) = (unquoted(text), "");
    loop {
        let end = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        let piece = clip_escaped(trimmed(&rest[..end]), SNIPPET);
        if piece.len() >= longest.len().max(TELLING) && !contains(other, piece) {
            longest = piece;
        }
        // What follows a backslash is the name of the escape.
        let mut after = rest[end..].chars().skip(1);
        let Some(name) = after.next() else { break };
        rest = &rest[end + 1 + name.len_utf8()..];
        // A number that names a character is no text.
        rest = if name == 'u' { rest.get(4..).unwrap_or_default() } else { rest };
    }
    (!longest.is_empty()).then(|| longest.to_owned())
}
