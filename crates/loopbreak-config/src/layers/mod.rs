//! Layers of settings, and the configuration that results from them.

mod config_layers;
mod layer_merge;
mod loaded_config;

pub use config_layers::ConfigLayers;
pub(crate) use layer_merge::{LayerMerge, is_preset_limit};
pub use loaded_config::{EffectiveOption, LoadedConfig};
