//! Shows problems with a configuration: the line, and carets under what is meant.

use std::io::Write as _;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use loopbreak::config::{ConfigError, Located, Mark, Origin, Source};

/// Tells all problems on stderr. Colours are left out where nobody sees them.
pub(crate) fn show(source: Option<&Source>, error: &ConfigError) {
    let renderer = Renderer::styled();
    let mut err = anstream::stderr().lock();
    for problem in &error.problems {
        let report = [group(source, problem)];
        // Where even stderr is closed, the exit code still tells.
        _ = writeln!(err, "{}\n", renderer.render(&report));
    }
}

fn group<'p>(source: Option<&'p Source>, problem: &'p Located) -> Group<'p> {
    let mut group = Group::with_title(Level::ERROR.primary_title(&problem.message));
    let mut file: Vec<Annotation<'_>> = Vec::new();
    let mut elsewhere: Vec<Snippet<'_, Annotation<'_>>> = Vec::new();
    let mut first_is_file = false;
    for (index, mark) in problem.marks.iter().enumerate() {
        let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        match &mark.origin {
            Origin::File(spot) => {
                first_is_file |= index == 0;
                file.push(label(kind.span(spot.span.clone()), mark));
            }
            Origin::Environment { variable, value } => {
                let text = format!("{variable}={value}");
                let span = variable.len() + 1..text.len();
                let snippet = outside(text, label(kind.span(span), mark));
                // Below another snippet it would look like a part of that one.
                elsewhere.push(if index == 0 { snippet } else { snippet.path("environment") });
            }
            Origin::Flag(flag) => {
                let annotation = label(kind.span(0..flag.len()), mark);
                elsewhere.push(outside(flag.clone(), annotation));
            }
            Origin::Profile(_) | Origin::Preset(_) => {}
        }
    }
    let snippet = source
        .filter(|_| !file.is_empty())
        .map(|source| Snippet::source(source.text.as_str()).path(source.name.as_str()).annotations(file));
    let (before, after) = if first_is_file { (snippet, None) } else { (None, snippet) };
    group = group.elements(before).elements(elsewhere).elements(after);
    group = group.elements(problem.notes.iter().map(|note| Level::NOTE.message(note)));
    group.element(Level::HELP.message(&problem.hint))
}

/// What was set outside of any file, shown like a line of one.
fn outside(text: String, annotation: Annotation<'_>) -> Snippet<'_, Annotation<'_>> {
    Snippet::source(text).line_numbering(false).annotation(annotation)
}

fn label<'p>(annotation: Annotation<'p>, mark: &'p Mark) -> Annotation<'p> {
    if mark.label.is_empty() { annotation } else { annotation.label(mark.label.as_str()) }
}
