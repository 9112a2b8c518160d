//! A key of a PATCH body: absent, null or a value.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// Keep the old value.
    #[default]
    Absent,
    /// Clear it.
    Null,
    Value(T),
}

impl<T> Patch<T> {
    /// Applies the patch to the old value.
    pub fn over(self, old: Option<T>) -> Option<T> {
        match self {
            Self::Absent => old,
            Self::Null => None,
            Self::Value(new) => Some(new),
        }
    }
}
