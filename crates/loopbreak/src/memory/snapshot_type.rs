//! Declares the types that a snapshot consists of: fields, serde and size in one place.

/// Declares a struct or an enum that is part of a snapshot, and derives serde and [`SnapshotSize`](super::SnapshotSize).
/// Attributes of serde are written as usual.
macro_rules! snapshot_type {
    (
        $(#[$($attribute:tt)*])*
        $vis:vis struct $type:ident $(<$part:ident>)? {
            $($(#[$($field_attribute:tt)*])* $field_vis:vis $field:ident: $field_type:ty,)*
        }
    ) => {
        #[derive(serde::Serialize, serde::Deserialize)]
        $(#[$($attribute)*])*
        $vis struct $type $(<$part>)? {
            $($(#[$($field_attribute)*])* $field_vis $field: $field_type,)*
        }

        impl $(<$part: $crate::memory::SnapshotSize>)? $crate::memory::SnapshotSize for $type $(<$part>)? {
            const VARIES: bool = false $(|| <$field_type as $crate::memory::SnapshotSize>::VARIES)*;

            fn max_bytes(digits: usize) -> usize {
                "{".len() $(
                    + $crate::memory::snapshot_type!(@key $field $(#[$($field_attribute)*])*)
                    + <$field_type as $crate::memory::SnapshotSize>::max_bytes(digits)
                )*
            }

            fn snapshot_bytes(&self, digits: usize) -> usize {
                "{".len() $(
                    + $crate::memory::snapshot_type!(@key $field $(#[$($field_attribute)*])*)
                    + $crate::memory::SnapshotSize::snapshot_bytes(&self.$field, digits)
                )*
            }
        }
    };
    // A struct of one value is written as that value.
    (
        $(#[$($attribute:tt)*])*
        $vis:vis struct $type:ident($inner:ty);
    ) => {
        #[derive(serde::Serialize, serde::Deserialize)]
        $(#[$($attribute)*])*
        $vis struct $type($inner);

        impl $crate::memory::SnapshotSize for $type {
            const VARIES: bool = <$inner as $crate::memory::SnapshotSize>::VARIES;

            fn max_bytes(digits: usize) -> usize {
                <$inner as $crate::memory::SnapshotSize>::max_bytes(digits)
            }

            fn snapshot_bytes(&self, digits: usize) -> usize {
                $crate::memory::SnapshotSize::snapshot_bytes(&self.0, digits)
            }
        }
    };
    (
        $(#[$($attribute:tt)*])*
        $vis:vis enum $type:ident { $($(#[$($variant_attribute:tt)*])* $variant:ident,)* }
    ) => {
        #[derive(serde::Serialize, serde::Deserialize)]
        $(#[$($attribute)*])*
        $vis enum $type { $($(#[$($variant_attribute)*])* $variant,)* }

        impl $crate::memory::SnapshotSize for $type {
            fn max_bytes(_: usize) -> usize {
                const { $crate::memory::longest_name(&[$(stringify!($variant)),*]) }
            }
        }
    };
    // The key of a field in quotes, with the colon before its value and the comma or brace after it.
    (@key $field:ident #[serde(rename = $name:literal $($rest:tt)*)] $($more:tt)*) => {
        const { $name.len() + "\"\":,".len() }
    };
    (@key $field:ident #[$($other:tt)*] $($more:tt)*) => {
        $crate::memory::snapshot_type!(@key $field $($more)*)
    };
    (@key $field:ident) => {
        const { stringify!($field).len() + "\"\":,".len() }
    };
}

/// Declares a struct that is written as an array without field names, for the elements of long collections.
macro_rules! snapshot_row {
    (
        $(#[$($attribute:tt)*])*
        $vis:vis struct $type:ident {
            $($(#[$($field_attribute:tt)*])* $field_vis:vis $field:ident: $field_type:ty,)*
        }
    ) => {
        $(#[$($attribute)*])*
        $vis struct $type {
            $($(#[$($field_attribute)*])* $field_vis $field: $field_type,)*
        }

        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serde::Serialize::serialize(&($(self.$field,)*), serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let ($($field,)*): ($($field_type,)*) = serde::Deserialize::deserialize(deserializer)?;
                Ok($type { $($field,)* })
            }
        }

        impl $crate::memory::SnapshotSize for $type {
            fn max_bytes(digits: usize) -> usize {
                "[".len() $(
                    + <$field_type as $crate::memory::SnapshotSize>::max_bytes(digits) + ",".len()
                )*
            }
        }
    };
}

pub(crate) use snapshot_row;
pub(crate) use snapshot_type;
