//! Suggests the known name that a mistyped name was probably meant to be.

pub use loopbreak::text::nearest_name;

/// Returns a hint that names the nearest of `names`.
pub(crate) fn did_you_mean<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> Option<String> {
    nearest_name(name, names).map(|name| format!("did you mean {name}?"))
}
