//! `loopbreak formats`, and the names of formats on the command line.

use loopbreak_trace::Format;

/// The format of a name, or what there is to choose from.
pub(crate) fn parse(name: &str) -> Result<Format, String> {
    Format::named(name).ok_or_else(|| {
        let names: Vec<&str> = Format::all().map(Format::as_str).collect();
        format!("there is no format of this name; there are {}", names.join(", "))
    })
}
