//! Roles of users in a form (contract section 2).

/// A role, in ascending order of permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Reads.
    Viewer,
    /// Can also change entries.
    Editor,
    /// Can also change the form.
    Manager,
    /// Can also delete it.
    Owner,
}

impl Role {
    /// The names in answers.
    pub const NAMES: [&'static str; 3] = ["viewer", "editor", "manager"];

    /// The roles of collaborators.
    pub const SHARED: [(&'static str, Self); 3] =
        [("viewer", Self::Viewer), ("editor", Self::Editor), ("manager", Self::Manager)];

    /// The name in answers: owners are managers whose form is `owned`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Editor => "editor",
            Self::Manager | Self::Owner => "manager",
        }
    }

    /// The collaborator's role with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        let role = Self::SHARED.iter().find(|(it, _)| *it == name);
        role.map(|(_, role)| *role)
    }
}
