//! The agents and the models that the steps of a run name.

use loopbreak::text::clip;

use crate::pack::packed;

/// A few names, each once, in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) all: Vec<String>,
}

packed! {
    Names { all }
}

impl Names {
    /// How many are kept, and how much of each.
    pub(super) const MOST: usize = 16;
    const BYTES: usize = 100;

    pub(super) fn add(&mut self, name: Option<&str>) {
        let Some(name) = name.map(|name| clip(name.trim(), Self::BYTES)).filter(|name| !name.is_empty())
        else {
            return;
        };
        if self.all.len() < Self::MOST && !self.all.iter().any(|known| known == name) {
            self.all.push(name.to_owned());
        }
    }
}
