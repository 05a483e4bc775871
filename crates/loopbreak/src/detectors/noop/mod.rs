//! `noop`: steps without effect.
//!
//! Catches: edits that change nothing (`no_change`), as shown by their arguments (the old text is the new
//! text) or by their reply ("No changes made"); edits that report success while the file still has the old
//! text when it is read again (`no_effect`); edits that undo each other, A to B and B to A (`undone`); and an
//! agent that called tools and now only talks (`idle`). In a run that never called a tool, talking alone
//! gives a hint.
//! Must not catch: one unneeded edit; one change that is reverted; a reading of another part of the file; a
//! conversation, because a message from the user resets every count; several agents that talk to each other;
//! a final summary; three replies of reasoning; short acknowledgements, which neither count nor reset the
//! count; outputs of iterations.
//! Origin: complaints 9, 14, 21.

pub(crate) mod settings;
mod texts;

use self::settings::NoopSettings;
use super::{
    Detection, DetectionCollector, Detector, DetectorSubject, DetectorTexts, LoopFamily, Pattern,
    StepContext, StepDetector,
};
use crate::fingerprint::{ActionKind, path_of, unquoted};
use crate::memory::{ClippedText, HashKey, RingBuffer, key_of, key_of_parts, snapshot_type};
use crate::text::clip::clip_escaped;
use crate::text::find_secrets;
use crate::text::scan::trimmed;
use crate::verdict::Severity;

/// Minimum size of a message in bytes. A shorter one is an acknowledgement.
const WORDY: usize = 40;
/// Number of edits that are remembered, to recognize one that undoes another.
const EDITS: usize = 8;
/// Number of bytes that are kept of the text an edit replaced, and the minimum that distinguishes it from
/// other texts.
const SNIPPET: usize = 64;
const TELLING: usize = 12;

snapshot_type! {
    /// The detector `noop`. It judges the run as a whole, because one agent may read what another one changed.
    #[derive(Clone, Debug, Default)]
    #[serde(default)]
    pub(crate) struct NoopDetector {
        no_change: TurnCount,
        no_effect: TurnCount,
        undone: TurnCount,
        idle: TurnCount,
        edits: RingBuffer<EditRecord, EDITS>,
        /// The last edit, until the file is read again.
        last: Option<ExpectedContent>,
        speaker: HashKey,
        /// True if more than one agent spoke, and true if any tool was ever called.
        others: bool,
        tools: bool,
    }
}

snapshot_type! {
    #[derive(Clone, Copy, Debug, Default)]
    struct TurnCount {
        count: u32,
        since: u64,
    }
}

impl TurnCount {
    fn one_more(&mut self, turn: u64) {
        if self.count == 0 {
            self.since = turn;
        }
        self.count = self.count.saturating_add(1);
    }
}

snapshot_type! {
    #[derive(Clone, Copy, Debug)]
    struct EditRecord {
        path: HashKey,
        old: HashKey,
        new: HashKey,
        turn: u64,
    }
}

snapshot_type! {
    /// A text that a file must no longer contain after an edit, and one that it must contain.
    #[derive(Clone, Debug)]
    struct ExpectedContent {
        path: HashKey,
        old: ClippedText<SNIPPET>,
        new: ClippedText<SNIPPET>,
    }
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
    fn observe(
        &mut self,
        context: &StepContext<'_>,
        settings: &NoopSettings,
        out: &mut DetectionCollector<'_>,
    ) {
        if context.origin.user || context.further {
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
            old: pair.map_or(HashKey::NONE, |pair| key_of(pair.old)),
            new: pair.map_or(HashKey::NONE, |pair| key_of(pair.new)),
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
            self.edits.push(edit);
        }
        self.last = pair.filter(|_| replaced.len() == 1 && path != HashKey::NONE).and_then(|pair| {
            let (old, new) = (telling(pair.old, pair.new)?, telling(pair.new, pair.old)?);
            Some(ExpectedContent { path, old, new })
        });
    }

    /// Checks, when a file is read after an edit, whether the edit had an effect.
    fn read(&mut self, context: &StepContext<'_>, settings: &NoopSettings, out: &mut DetectionCollector<'_>) {
        let (Some(prints), Some(action), Some(last)) = (context.prints, context.action, &self.last)
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
        // Anything that the step reports apart from its message is an event, which resets the count.
        let happened = step.outcome.is_some()
            || context.origin.user
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
            self.others |= self.speaker != HashKey::NONE;
            (self.speaker, self.idle) = (speaker, TurnCount::default());
        }
        if say.trim().len() < WORDY {
            return;
        }
        self.idle.one_more(context.turn);
        let count = self.idle.count;
        let severity = if !self.tools {
            // If no tool was ever called, the log may not contain tool calls at all.
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
            identity: key_of_parts(&[self.speaker, HashKey(12)]),
            since: self.idle.since,
            severity: Some(severity),
            stage: 0,
            count,
            requested_intervention: None,
        });
        evidence.note("messages", count).quote("message", say);
    }
}

/// Reports edits without effect from the limits on.
fn sight(
    pattern: Pattern,
    count: TurnCount,
    kind: u64,
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
        identity: key_of_parts(&[HashKey(kind), HashKey(13)]),
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

/// Returns whether a text, which can be a whole file, contains a piece.
fn contains(text: &str, piece: &str) -> bool {
    memchr::memmem::find(text.as_bytes(), piece.as_bytes()).is_some()
}

/// Returns whether a piece of a text is part of a secret. A snapshot contains pieces, and must not contain secrets.
fn is_secret(text: &str, piece: &str) -> bool {
    /// Longest name before a secret, in bytes.
    const NAME_BYTES: usize = 64;
    let start = piece.as_ptr().addr() - text.as_ptr().addr();
    let before = text.ceil_char_boundary(start.saturating_sub(NAME_BYTES));
    let near = &text[before..start + piece.len()];
    find_secrets(near).any(|secret| before + secret.range.end > start)
}

/// Returns the longest piece of a JSON text without escapes that does not occur in the other text. A file is
/// searched for this piece.
fn telling(text: &str, other: &str) -> Option<ClippedText<SNIPPET>> {
    let (mut rest, mut longest) = (unquoted(text), "");
    loop {
        let end = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
        let piece = clip_escaped(trimmed(&rest[..end]), SNIPPET);
        if piece.len() >= longest.len().max(TELLING) && !contains(other, piece) {
            longest = piece;
        }
        // The character after a backslash is the name of the escape.
        let mut after = rest[end..].chars().skip(1);
        let Some(name) = after.next() else { break };
        rest = &rest[end + 1 + name.len_utf8()..];
        // The digits of a `\u` escape are not text.
        rest = if name == 'u' { rest.get(4..).unwrap_or_default() } else { rest };
    }
    (!longest.is_empty() && !is_secret(text, longest)).then(|| longest.into())
}
