//! Roles with a form (contract section 2).

/// What somebody may do with a form, least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Reads.
    Viewer,
    /// Also changes entries.
    Editor,
    /// Also changes the form.
    Manager,
    /// Also deletes it.
    Owner,
}

impl Role {
    /// The words in answers.
    pub const NAMES: [&'static str; 3] = ["viewer", "editor", "manager"];

    /// The roles that a form is shared by.
    pub const SHARED: [(&'static str, Self); 3] = [
        ("viewer", Self::Viewer),
        ("editor", Self::Editor),
        ("manager", Self::Manager),
    ];

    /// The word in answers: owners are managers whose form is `owned`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Editor => "editor",
            Self::Manager | Self::Owner => "manager",
        }
    }

    /// The role of that name, which a form is shared by.
    pub fn by_name(name: &str) -> Option<Self> {
        let found = Self::SHARED.iter().find(|(known, _)| *known == name);
        found.map(|(_, role)| *role)
    }
}
