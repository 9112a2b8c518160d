//! Enums whose variants have names: in answers, in the database, on the command line.

/// Declares an enum with the name of each variant behind it, all variants in that order, and the way from a name to
/// its variant.
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $enum:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $enum { $($(#[$doc])* $variant,)+ }

        impl $enum {
            /// All of them, in their order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The one of that name.
            pub fn by_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|it| it.name() == name)
            }
        }
    };
}

pub(crate) use named;
