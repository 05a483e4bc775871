//! Prints problems of a configuration with the lines they are about.

use std::io::Write as _;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use loopbreak_config::{ConfigError, ConfigProblem, ConfigSource, ProblemLabel, ValueOrigin};

/// Prints all problems on stderr, in colour if it is a terminal.
pub(crate) fn print_problems(source: Option<&ConfigSource>, error: &ConfigError) {
    let renderer = Renderer::styled();
    let mut err = anstream::stderr().lock();
    for problem in &error.problems {
        let report = [group(source, problem)];
        // If stderr is closed, the exit code still reports the failure.
        _ = writeln!(err, "{}\n", renderer.render(&report));
    }
}

fn group<'p>(source: Option<&'p ConfigSource>, problem: &'p ConfigProblem) -> Group<'p> {
    let mut group = Group::with_title(Level::ERROR.primary_title(&problem.message));
    let mut file: Vec<Annotation<'_>> = Vec::new();
    let mut elsewhere: Vec<Snippet<'_, Annotation<'_>>> = Vec::new();
    let mut first_is_file = false;
    for (index, label) in problem.labels.iter().enumerate() {
        let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
        match &label.origin {
            ValueOrigin::File(location) => {
                first_is_file |= index == 0;
                file.push(with_text(kind.span(location.span.clone()), label));
            }
            ValueOrigin::Environment { variable, value } => {
                let text = format!("{variable}={value}");
                let span = variable.len() + 1..text.len();
                let snippet = outside_of_file(text, with_text(kind.span(span), label));
                // Below another snippet it would look like a part of that one.
                elsewhere.push(if index == 0 { snippet } else { snippet.path("environment") });
            }
            ValueOrigin::Flag(flag) => {
                let annotation = with_text(kind.span(0..flag.len()), label);
                elsewhere.push(outside_of_file(flag.clone(), annotation));
            }
            _ => {}
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

/// Shows a value that is not in a file like a line of one.
fn outside_of_file(text: String, annotation: Annotation<'_>) -> Snippet<'_, Annotation<'_>> {
    Snippet::source(text).line_numbering(false).annotation(annotation)
}

fn with_text<'p>(annotation: Annotation<'p>, label: &'p ProblemLabel) -> Annotation<'p> {
    if label.text.is_empty() { annotation } else { annotation.label(label.text.as_str()) }
}
