//! Spans in the order of events: a tree, walked without recursion.

use std::collections::HashMap;

use loopbreak::step::StepText;

use super::span::OtelSpan;

/// A tree of spans.
#[derive(Debug, Default)]
pub(super) struct SpanTree<'a> {
    nodes: Vec<SpanNode<'a>>,
}

#[derive(Debug)]
pub(super) struct SpanNode<'a> {
    pub(super) span: OtelSpan<'a>,
    pub(super) line: u64,
    /// Set for nested spans; otherwise the span names its parent.
    parent: Option<usize>,
}

/// A visit of a span: each is visited twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SpanVisit {
    Enter(usize),
    Leave(usize),
}

impl<'a> SpanTree<'a> {
    /// Adds a span and the spans nested in it.
    pub(super) fn add(&mut self, span: OtelSpan<'a>, line: u64) {
        let mut open = vec![(span, None)];
        while let Some((mut span, parent)) = open.pop() {
            if let Some(context) = span.context.take() {
                span.trace = span.trace.or(context.trace_id);
                span.id = span.id.or(context.span_id);
            }
            let here = self.nodes.len();
            open.extend(
                std::mem::take(&mut span.children).into_iter().rev().map(|child| (child, Some(here))),
            );
            self.nodes.push(SpanNode { span, line, parent });
        }
    }

    pub(super) fn nodes(&self) -> &[SpanNode<'a>] {
        &self.nodes
    }

    /// Returns the parent of each span, if it is in the tree.
    pub(super) fn parents(&self) -> Vec<Option<usize>> {
        let ids = self.nodes.iter().enumerate();
        let ids: HashMap<&str, usize> =
            ids.filter_map(|(index, node)| Some((&**node.span.id.as_ref()?, index))).collect();
        let named = |node: &SpanNode<'a>| {
            let parent: &StepText<'a> = node.span.parent.as_ref().filter(|parent| !parent.is_empty())?;
            ids.get(&**parent).copied()
        };
        self.nodes.iter().map(|node| node.parent.or_else(|| named(node))).collect()
    }

    /// Visits all spans, each inside its parent, in the order of their start times. Every span is visited,
    /// even if its parent is missing or the parents form a cycle.
    pub(super) fn walk(&self, parents: &[Option<usize>]) -> Vec<SpanVisit> {
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        let mut roots = Vec::new();
        for (index, parent) in parents.iter().enumerate() {
            match parent {
                Some(parent) if *parent != index => children[*parent].push(index),
                _ => roots.push(index),
            }
        }
        let start = |index: &usize| self.nodes[*index].span.start;
        let mut visits = Vec::with_capacity(2 * self.nodes.len());
        let mut seen = vec![false; self.nodes.len()];
        roots.sort_by_key(start);
        // Spans in a cycle of parents have no root; they come last.
        roots.extend(0..self.nodes.len());
        for root in roots {
            let mut open = vec![SpanVisit::Enter(root)];
            while let Some(visit) = open.pop() {
                if let SpanVisit::Enter(index) = visit {
                    if std::mem::replace(&mut seen[index], true) {
                        continue;
                    }
                    open.push(SpanVisit::Leave(index));
                    children[index].sort_by_key(start);
                    open.extend(children[index].iter().rev().map(|child| SpanVisit::Enter(*child)));
                }
                visits.push(visit);
            }
        }
        visits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use loopbreak::step::EpochMillis;

    fn span(id: &'static str, parent: &'static str, start: i64) -> OtelSpan<'static> {
        OtelSpan {
            id: Some(id.into()),
            parent: Some(parent.into()),
            start: Some(EpochMillis(start)),
            ..OtelSpan::default()
        }
    }

    fn order(spans: Vec<OtelSpan<'static>>) -> String {
        let mut tree = SpanTree::default();
        for span in spans {
            tree.add(span, 1);
        }
        let name = |index: usize| tree.nodes()[index].span.id.clone().unwrap().to_string();
        let shown = |visit: &SpanVisit| match visit {
            SpanVisit::Enter(index) => name(*index),
            SpanVisit::Leave(_) => ".".to_owned(),
        };
        tree.walk(&tree.parents()).iter().map(shown).collect()
    }

    #[test]
    fn visits_spans_inside_their_parents_in_order_of_time() {
        assert_eq!(
            order(vec![span("c", "a", 3), span("b", "a", 2), span("a", "", 1), span("d", "b", 9)]),
            "abd..c.."
        );
        assert_eq!(order(vec![span("b", "gone", 2), span("a", "gone", 1)]), "a.b.");
    }

    #[test]
    fn cycles_of_parents_and_long_chains_terminate() {
        assert_eq!(order(vec![span("a", "b", 1), span("b", "a", 2), span("c", "c", 3)]), "c.ab..");
        let ids: Vec<&'static str> =
            (0..50_000).map(|i| &*Box::leak(format!("n{i}").into_boxed_str())).collect();
        let chain = (0..50_000).map(|i| span(ids[i], if i == 0 { "" } else { ids[i - 1] }, 0)).collect();
        assert!(order(chain).ends_with("..."));
    }
}
