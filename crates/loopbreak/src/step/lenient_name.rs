//! Names in a step that later releases may add to. An unknown name must not make the whole step unreadable.

/// Adds `from_name`, which returns `None` for an unknown name.
macro_rules! lenient_name {
    ($type:ident) => {
        impl $type {
            /// Returns the value with this name, or `None` if the name is unknown.
            pub(crate) fn from_name(name: Option<&str>) -> Option<Self> {
                name.and_then(|name| name.trim().parse().ok())
            }
        }
    };
}

pub(super) use lenient_name;
