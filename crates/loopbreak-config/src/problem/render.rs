//! Renders problems with the lines that cause them.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use super::{ConfigError, ConfigProblem, ProblemLabel};
use crate::source::{ConfigSource, ValueOrigin};

impl ConfigError {
    /// Renders all problems for a terminal, each with the lines of the files that cause it, in colour. `sources` are the
    /// files, if there are any.
    pub fn render<'s>(&self, sources: impl IntoIterator<Item = &'s ConfigSource>) -> String {
        let sources: Vec<&ConfigSource> = sources.into_iter().collect();
        let renderer = Renderer::styled();
        let render = |problem: &ConfigProblem| renderer.render(&[render_group(&sources, problem)]) + "\n\n";
        self.problems.iter().map(render).collect()
    }
}

fn render_group<'p>(sources: &[&'p ConfigSource], problem: &'p ConfigProblem) -> Group<'p> {
    let mut group = Group::with_title(Level::ERROR.primary_title(&problem.message));
    let mut files: Vec<Vec<Annotation<'_>>> = sources.iter().map(|_| Vec::new()).collect();
    let mut elsewhere: Vec<Snippet<'_, Annotation<'_>>> = Vec::new();
    let mut first_is_file = false;
    for (index, label) in problem.labels.iter().enumerate() {
        let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        match &label.origin {
            ValueOrigin::File(location) => {
                first_is_file |= index == 0;
                if let Some(at) = sources.iter().position(|source| *source.name == *location.file) {
                    files[at].push(with_label_text(kind.span(location.span.clone()), label));
                }
            }
            ValueOrigin::Environment { variable, value } => {
                let text = format!("{variable}={value}");
                let span = variable.len() + 1..text.len();
                let snippet = snippet_outside_file(text, with_label_text(kind.span(span), label));
                // Below another snippet it would look like a part of that one.
                elsewhere.push(if index == 0 { snippet } else { snippet.path("environment") });
            }
            ValueOrigin::Flag(flag) => {
                let annotation = with_label_text(kind.span(0..flag.len()), label);
                elsewhere.push(snippet_outside_file(flag.clone(), annotation));
            }
            _ => {}
        }
    }
    let annotated = sources.iter().zip(files).filter(|(_, file)| !file.is_empty());
    let snippets: Vec<_> = annotated
        .map(|(source, file)| {
            Snippet::source(source.text.as_str()).path(source.name.as_str()).annotations(file)
        })
        .collect();
    let (before, after) = if first_is_file { (snippets, Vec::new()) } else { (Vec::new(), snippets) };
    group = group.elements(before).elements(elsewhere).elements(after);
    group = group.elements(problem.notes.iter().map(|note| Level::NOTE.message(note)));
    group.element(Level::HELP.message(&problem.hint))
}

/// Shows a value that is not in a file like a line of one.
fn snippet_outside_file(text: String, annotation: Annotation<'_>) -> Snippet<'_, Annotation<'_>> {
    Snippet::source(text).line_numbering(false).annotation(annotation)
}

fn with_label_text<'p>(annotation: Annotation<'p>, label: &'p ProblemLabel) -> Annotation<'p> {
    if label.text.is_empty() { annotation } else { annotation.label(label.text.as_str()) }
}
