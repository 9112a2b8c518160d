//! Users and organisations.

use serde::{Deserialize, Serialize};

use crate::base::clock::Time;
use crate::base::named::named;
use crate::base::text::identity;
use crate::model::precondition::Etag;

/// In characters.
pub const LONGEST_EMAIL: usize = 254;

/// The key of an account for an e-mail address. `None` if it is too long, since folding takes time.
pub fn folded_email(email: &str) -> Option<String> {
    let is_short = email.chars().nth(LONGEST_EMAIL).is_none();
    is_short.then(|| identity::of_email(email))
}

/// A user's row id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UserId(pub i64);

/// An organisation's row id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OrganizationId(pub i64);

named! {
    /// A role in an organisation.
    pub enum OrganizationRole {
        /// Manages members and plan.
        Owner = "owner",
        /// Creates forms.
        Member = "member",
    }
}

#[derive(Clone, Debug)]
pub struct User {
    pub id: UserId,
    /// The public id.
    pub token: String,
    pub organization: Organization,
    pub role: OrganizationRole,
    /// As entered.
    pub email: String,
    pub name: String,
    /// BCP 47.
    pub locale: String,
    /// IANA.
    pub timezone: String,
    pub preferences: Preferences,
    pub disabled_at: Option<Time>,
    pub created_at: Time,
}

/// A user's preferences for pages, with defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preferences {
    /// Whether single letters are keyboard shortcuts in lists.
    pub letter_keys: bool,
    /// The rows of a page of a list, one of [`Self::ROWS`].
    pub rows: i64,
    pub density: Density,
    pub first_tab: FirstTab,
}

/// The page on which a form opens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FirstTab {
    /// The entries, and as long as there are none its questions for those who may change them.
    #[default]
    Fitting,
    Build,
    Entries,
    Report,
}

impl FirstTab {
    pub const ALL: [(&'static str, Self); 4] =
        [("fitting", Self::Fitting), ("build", Self::Build), ("entries", Self::Entries), ("report", Self::Report)];
}

/// Spacing of rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Density {
    #[default]
    Comfortable,
    Compact,
}

impl Preferences {
    pub const ROWS: [i64; 3] = [25, 50, 100];
}

impl Default for Preferences {
    fn default() -> Self {
        Self { letter_keys: true, rows: 50, density: Density::Comfortable, first_tab: FirstTab::Fitting }
    }
}

impl Density {
    pub const ALL: [(&'static str, Self); 2] = [("comfortable", Self::Comfortable), ("compact", Self::Compact)];
}

#[derive(Clone, Debug)]
pub struct Organization {
    pub id: OrganizationId,
    /// The public id.
    pub token: String,
    pub name: String,
    pub plan: Plan,
}

/// Branding of an organisation on the pages of its forms.
#[derive(Clone, Debug)]
pub struct OrganizationSettings {
    pub id: OrganizationId,
    /// The public id.
    pub token: String,
    pub name: String,
    /// Whether the name was set on purpose. Otherwise it was derived from the first user's name, and pages of forms
    /// don't show it.
    pub is_name_shown: bool,
    pub logo: Option<Logo>,
    /// As `#RRGGBB`.
    pub color: Option<String>,
    /// Whether pages of forms name formsvc.
    pub show_powered_by: bool,
    /// Counts the changes.
    pub version: i64,
}

impl OrganizationSettings {
    pub fn etag(&self) -> Etag {
        Etag(format!("organization-{}", self.version))
    }
}

/// The image of an organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logo {
    /// The image's public id.
    pub image: String,
    /// Width and height in pixels.
    pub size: (u32, u32),
}

named! {
    /// The plan of an organisation (contract section 2).
    pub enum Plan {
        /// No public queries.
        Free = "free",
        /// Public queries.
        Standard = "standard",
        /// Public queries, scoped data, editable results.
        Business = "business",
        /// Everything, without limit.
        Unlimited = "unlimited",
    }
}

impl Plan {
    pub const fn has(self, capability: Capability) -> bool {
        match capability {
            Capability::PublicQueries => self.public_queries(),
            Capability::ScopedData => self.scoped_data(),
            Capability::EditableResults => self.editable_results(),
        }
    }

    pub const fn public_queries(self) -> bool {
        !matches!(self, Self::Free)
    }

    /// Public queries may be limited to part of the entries.
    pub const fn scoped_data(self) -> bool {
        matches!(self, Self::Business | Self::Unlimited)
    }

    /// Visitors may edit results.
    pub const fn editable_results(self) -> bool {
        matches!(self, Self::Business | Self::Unlimited)
    }

    /// The most entries of a form whose public queries work; `None` for no limit.
    pub const fn entries_per_form(self) -> Option<i64> {
        match self {
            Self::Free => Some(1_000),
            Self::Standard => Some(10_000),
            Self::Business => Some(100_000),
            Self::Unlimited => None,
        }
    }
}

/// A capability that not every plan has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    PublicQueries,
    /// Public queries limited to part of the entries.
    ScopedData,
    /// Results that visitors can edit.
    EditableResults,
}

impl Capability {
    /// The name within a sentence.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PublicQueries => "public queries",
            Self::ScopedData => "limits on the data that is queried",
            Self::EditableResults => "editable results",
        }
    }
}
