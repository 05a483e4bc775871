//! Loads arbitrary bytes as a configuration file, as environment variables and as assignments, and renders the problems.

#![no_main]

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use libfuzzer_sys::fuzz_target;
use loopbreak_config::{ConfigError, ConfigLayers, ConfigSource, LoadedConfig};

/// Renders every problem with its lines and carets, as the program does. A span outside of the text would panic.
fn render(text: &str, error: &ConfigError) {
    assert!(!error.problems.is_empty(), "an error without a problem");
    for problem in &error.problems {
        assert!(!problem.to_string().is_empty() && !problem.labels.is_empty());
        let spans = problem.labels.iter().filter_map(|label| label.origin.location());
        let spans = spans.map(|location| location.span.clone()).inspect(|span| {
            assert!(text.get(span.clone()).is_some(), "{span:?} is outside of the text");
        });
        let snippet = Snippet::source(text).annotations(spans.map(|span| AnnotationKind::Primary.span(span)));
        let group = Group::with_title(Level::ERROR.primary_title(&problem.message)).element(snippet);
        _ = Renderer::plain().render(&[group]);
    }
}

fn check(text: &str, loaded: Result<LoadedConfig, ConfigError>) {
    match loaded {
        Ok(loaded) => {
            for option in loaded.effective_options() {
                _ = loaded.origin(&option.path).to_string();
            }
        }
        Err(error) => render(text, &error),
    }
}

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data).into_owned();
    for name in ["loopbreak.toml", "pyproject.toml"] {
        let source = ConfigSource::new(name, text.as_str());
        check(&text, ConfigLayers::default().file(source).load());
    }
    let variables = text.lines().filter_map(|line| line.split_once('='));
    check("", ConfigLayers::default().environment(variables).load());
    let layers = text.lines().fold(ConfigLayers::default(), |layers, line| layers.set(line));
    check("", layers.load());
    check("", ConfigLayers::default().profile(text.as_str()).load());
});
