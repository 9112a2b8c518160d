//! Enums whose variants have names in answers, in the database and on the command line.

/// Declares an enum with a name for each variant, and `ALL`, `name` and `by_name`.
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $enum:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $enum { $($(#[$doc])* $variant,)+ }

        impl $enum {
            /// All variants, in the order of their declaration.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            pub fn by_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|it| it.name() == name)
            }
        }
    };
}

pub(crate) use named;
