//! Selects a profile by its name.

use loopbreak::Profile;

use crate::nearest::nearest_name;

/// An error for a profile name that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown profile {name:?}")]
pub struct UnknownProfile {
    /// The name that was given.
    pub name: String,
    /// A hint for the user: the name that was probably meant, or all names.
    pub hint: String,
}

/// Returns the profile with this name.
pub fn parse_profile(name: &str) -> Result<Profile, UnknownProfile> {
    name.parse().map_err(|_| {
        let names: Vec<&str> = Profile::ALL.iter().map(|profile| profile.as_str()).collect();
        let hint = nearest_name(name, names.iter().copied()).map_or_else(
            || format!("valid profiles: {}", names.join(", ")),
            |name| format!("did you mean {name}?"),
        );
        UnknownProfile { name: name.to_owned(), hint }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_the_nearest_profile_or_lists_all() {
        assert_eq!(parse_profile("coding"), Ok(Profile::Coding));
        assert_eq!(parse_profile("gmae").unwrap_err().hint, "did you mean game?");
        let error = parse_profile("something else").unwrap_err();
        assert_eq!(error.to_string(), "unknown profile \"something else\"");
        assert_eq!(error.hint, "valid profiles: auto, game, coding, tasks, iterations, documents");
    }
}
