//! A member of a PATCH body: absent, null or a value.

/// What a PATCH body says of one member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// Not named: keep what is.
    #[default]
    Absent,
    /// Named as null: clear it.
    Null,
    /// The new value.
    Value(T),
}

impl<T> Patch<T> {
    /// The value that results when this is applied to `old`.
    pub fn over(self, old: Option<T>) -> Option<T> {
        match self {
            Self::Absent => old,
            Self::Null => None,
            Self::Value(new) => Some(new),
        }
    }
}
