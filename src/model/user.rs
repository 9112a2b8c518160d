//! People and their organisations.

use crate::base::clock::Time;
use crate::base::named::named;
use crate::base::text;

/// The most characters of an e-mail address.
pub const LONGEST_EMAIL: usize = 254;

/// An e-mail address as accounts are told apart by it; none where it is longer than any may be: folding takes
/// time.
pub fn folded_email(email: &str) -> Option<String> {
    let is_short = email.chars().nth(LONGEST_EMAIL).is_none();
    is_short.then(|| text::fold(email))
}

/// A user's number inside the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UserId(pub i64);

/// An organisation's number inside the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OrganizationId(pub i64);

named! {
    /// A role in an organisation.
    pub enum OrganizationRole {
        /// Manages members and plan.
        Owner = "owner",
        /// Makes forms.
        Member = "member",
    }
}

/// A user.
#[derive(Clone, Debug)]
pub struct User {
    /// Inside the database.
    pub id: UserId,
    /// The public id.
    pub token: String,
    /// The organisation.
    pub organization: Organization,
    /// The role there.
    pub role: OrganizationRole,
    /// As it was given.
    pub email: String,
    /// What others see.
    pub name: String,
    /// BCP 47.
    pub locale: String,
    /// IANA.
    pub timezone: String,
    /// Since when the user may not sign in or call.
    pub disabled_at: Option<Time>,
    /// When the account was made.
    pub created_at: Time,
}

/// An organisation.
#[derive(Clone, Debug)]
pub struct Organization {
    /// Inside the database.
    pub id: OrganizationId,
    /// The public id.
    pub token: String,
    /// What people call it.
    pub name: String,
    /// The plan.
    pub plan: Plan,
}

named! {
    /// What an organisation may do (contract section 2).
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
    /// Whether the plan has this.
    pub const fn has(self, capability: Capability) -> bool {
        match capability {
            Capability::PublicQueries => self.public_queries(),
            Capability::ScopedData => self.scoped_data(),
            Capability::EditableResults => self.editable_results(),
        }
    }

    /// Public queries may be made.
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

    /// How many entries a form may have for its queries to work; none: no limit.
    pub const fn entries_per_form(self) -> Option<i64> {
        match self {
            Self::Free => Some(1_000),
            Self::Standard => Some(10_000),
            Self::Business => Some(100_000),
            Self::Unlimited => None,
        }
    }
}

/// What a plan may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capability {
    /// Public queries.
    PublicQueries,
    /// Public queries that show part of the entries.
    ScopedData,
    /// Results that visitors edit.
    EditableResults,
}

impl Capability {
    /// As it stands in a sentence.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PublicQueries => "public queries",
            Self::ScopedData => "limits on the data that is queried",
            Self::EditableResults => "editable results",
        }
    }
}
