//! Settings as JSON values, for programs that change options by their path.

use loopbreak::Settings;
use serde_json::Value;

/// Returns the settings as a JSON value: `/stagnation/max_turns` is the option `stagnation.max_turns`.
pub fn to_value(settings: &Settings) -> Value {
    serde_json::to_value(settings).unwrap_or_default()
}

/// Returns the settings as JSON text, in the order in which they are declared.
pub fn to_text(settings: &Settings) -> String {
    serde_json::to_string(settings).unwrap_or_default()
}

/// Reads settings from a JSON value. They are not checked yet: see [`Config::new`](loopbreak::Config::new).
pub fn from_value(value: Value) -> serde_json::Result<Settings> {
    serde_json::from_value(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_back_from_their_value() {
        let mut value = to_value(&Settings::default());
        *value.pointer_mut("/stagnation/max_turns").unwrap() = 77.into();
        let settings = from_value(value).unwrap();
        assert_eq!(settings.stagnation.max_turns, 77);
        assert_eq!(Settings { stagnation: Settings::default().stagnation, ..settings }, Settings::default());
        assert_eq!(
            serde_json::from_str::<Value>(&to_text(&Settings::default())).unwrap(),
            to_value(&Settings::default())
        );
    }
}
