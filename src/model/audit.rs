//! What the audit log tells of: who did what, without values and secrets.

use crate::base::clock::Time;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// A form was made.
    FormCreated,
    /// A form was changed.
    FormUpdated,
    /// A form went to the trash.
    FormDeleted,
    /// A form came out of the trash.
    FormRestored,
    /// A form that had been in the trash for too long was removed for good.
    FormPurged,
    /// Somebody moved a form to another folder of theirs.
    FormMoved,
    /// The settings of a form were changed.
    SettingsUpdated,
    /// The theme of a form was changed.
    ThemeUpdated,
    /// The field rules of a form were changed.
    RulesUpdated,
    /// A form was shared, or how far.
    CollaboratorPut,
    /// A form was no longer shared.
    CollaboratorRemoved,
    /// The entries of a form were exported.
    EntriesExported,
    /// Entries were imported into a form.
    EntriesImported,
    /// Entries of a form that had been in the trash for too long were removed for good.
    EntriesPurged,
    /// An entry went to the trash.
    EntryDeleted,
    /// An entry came out of the trash.
    EntryRestored,
    /// An entry in the trash was removed for good.
    EntryPurged,
    /// A folder was made.
    FolderCreated,
    /// A folder got another name.
    FolderUpdated,
    /// A folder was removed.
    FolderDeleted,
    /// A personal access token was made.
    TokenCreated,
    /// A personal access token was revoked.
    TokenRevoked,
    /// An application was registered.
    AppCreated,
    /// An application was deleted.
    AppDeleted,
    /// Somebody allowed an application to act for them.
    AppAllowed,
    /// Somebody took that back.
    AppEnded,
    /// A link was made that invites somebody.
    InvitationCreated,
    /// Such a link was taken back.
    InvitationRevoked,
    /// Somebody got an account.
    MemberJoined,
    /// Somebody got another role in the organisation.
    MemberRoleChanged,
    /// Somebody was kept from signing in and calling.
    MemberDisabled,
    /// Somebody was let in again.
    MemberEnabled,
    /// An account was deleted.
    MemberDeleted,
    /// Somebody signed in.
    SignedIn,
    /// Somebody tried to sign in to an account with a wrong password or code.
    SignInFailed,
    /// Somebody tried to sign in to an account and had to wait.
    SignInThrottled,
    /// A password was changed.
    PasswordChanged,
    /// Somebody set up a second factor, or new recovery codes.
    SecondFactorEnabled,
    /// A second factor was taken away.
    SecondFactorDisabled,
    /// The organisation got another plan.
    PlanChanged,
    /// Access tokens of applications are signed with another key.
    KeysRotated,
}

impl Action {
    /// All of them.
    pub const ALL: [Self; 41] = [
        Self::FormCreated,
        Self::FormUpdated,
        Self::FormDeleted,
        Self::FormRestored,
        Self::FormPurged,
        Self::FormMoved,
        Self::SettingsUpdated,
        Self::ThemeUpdated,
        Self::RulesUpdated,
        Self::CollaboratorPut,
        Self::CollaboratorRemoved,
        Self::EntriesExported,
        Self::EntriesImported,
        Self::EntriesPurged,
        Self::EntryDeleted,
        Self::EntryRestored,
        Self::EntryPurged,
        Self::FolderCreated,
        Self::FolderUpdated,
        Self::FolderDeleted,
        Self::TokenCreated,
        Self::TokenRevoked,
        Self::AppCreated,
        Self::AppDeleted,
        Self::AppAllowed,
        Self::AppEnded,
        Self::InvitationCreated,
        Self::InvitationRevoked,
        Self::MemberJoined,
        Self::MemberRoleChanged,
        Self::MemberDisabled,
        Self::MemberEnabled,
        Self::MemberDeleted,
        Self::SignedIn,
        Self::SignInFailed,
        Self::SignInThrottled,
        Self::PasswordChanged,
        Self::SecondFactorEnabled,
        Self::SecondFactorDisabled,
        Self::PlanChanged,
        Self::KeysRotated,
    ];

    /// The word in answers: what it was done to, and what was done.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FormCreated => "form.created",
            Self::FormUpdated => "form.updated",
            Self::FormDeleted => "form.deleted",
            Self::FormRestored => "form.restored",
            Self::FormPurged => "form.purged",
            Self::FormMoved => "form.moved",
            Self::SettingsUpdated => "form.settings_updated",
            Self::ThemeUpdated => "form.theme_updated",
            Self::RulesUpdated => "form.field_rules_updated",
            Self::CollaboratorPut => "collaborator.put",
            Self::CollaboratorRemoved => "collaborator.removed",
            Self::EntriesExported => "entries.exported",
            Self::EntriesImported => "entries.imported",
            Self::EntriesPurged => "entries.purged",
            Self::EntryDeleted => "entry.deleted",
            Self::EntryRestored => "entry.restored",
            Self::EntryPurged => "entry.purged",
            Self::FolderCreated => "folder.created",
            Self::FolderUpdated => "folder.updated",
            Self::FolderDeleted => "folder.deleted",
            Self::TokenCreated => "token.created",
            Self::TokenRevoked => "token.revoked",
            Self::AppCreated => "app.created",
            Self::AppDeleted => "app.deleted",
            Self::AppAllowed => "app.allowed",
            Self::AppEnded => "app.ended",
            Self::InvitationCreated => "invitation.created",
            Self::InvitationRevoked => "invitation.revoked",
            Self::MemberJoined => "member.joined",
            Self::MemberRoleChanged => "member.role_changed",
            Self::MemberDisabled => "member.disabled",
            Self::MemberEnabled => "member.enabled",
            Self::MemberDeleted => "member.deleted",
            Self::SignedIn => "member.signed_in",
            Self::SignInFailed => "member.sign_in_failed",
            Self::SignInThrottled => "member.sign_in_throttled",
            Self::PasswordChanged => "member.password_changed",
            Self::SecondFactorEnabled => "member.second_factor_enabled",
            Self::SecondFactorDisabled => "member.second_factor_disabled",
            Self::PlanChanged => "organization.plan_changed",
            Self::KeysRotated => "keys.rotated",
        }
    }

    /// What its subject is.
    pub const fn subject_kind(self) -> &'static str {
        match self {
            Self::FormCreated
            | Self::FormUpdated
            | Self::FormDeleted
            | Self::FormRestored
            | Self::SettingsUpdated
            | Self::ThemeUpdated
            | Self::RulesUpdated
            | Self::EntriesExported
            | Self::EntriesImported
            | Self::EntriesPurged
            | Self::FormPurged
            | Self::FormMoved => "form",
            Self::EntryDeleted | Self::EntryRestored | Self::EntryPurged => "entry",
            Self::FolderCreated | Self::FolderUpdated | Self::FolderDeleted => "folder",
            Self::CollaboratorPut
            | Self::CollaboratorRemoved
            | Self::MemberJoined
            | Self::MemberRoleChanged
            | Self::MemberDisabled
            | Self::MemberEnabled
            | Self::MemberDeleted
            | Self::SignedIn
            | Self::SignInFailed
            | Self::SignInThrottled
            | Self::PasswordChanged
            | Self::SecondFactorEnabled
            | Self::SecondFactorDisabled => "user",
            Self::TokenCreated | Self::TokenRevoked => "token",
            Self::AppCreated | Self::AppDeleted | Self::AppAllowed => "app",
            Self::AppEnded => "connection",
            Self::InvitationCreated | Self::InvitationRevoked => "invitation",
            Self::PlanChanged => "organization",
            Self::KeysRotated => "key",
        }
    }

    /// The action of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.name() == name)
    }
}

/// How somebody did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Via {
    /// On a page, signed in.
    Session,
    /// With a personal access token.
    Token,
    /// By an application that they allowed to.
    App,
    /// By the command line.
    CommandLine,
    /// By nobody: the service did it when its time had come.
    Service,
}

impl Via {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Session,
        Self::Token,
        Self::App,
        Self::CommandLine,
        Self::Service,
    ];

    /// The word in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Token => "token",
            Self::App => "app",
            Self::CommandLine => "command_line",
            Self::Service => "service",
        }
    }

    /// The way of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|via| via.name() == name)
    }
}

/// Somebody who did something, as they are called now; a deleted account has no address any more.
#[derive(Clone, Debug)]
pub struct Actor {
    /// The public id.
    pub token: String,
    /// What others see.
    pub name: String,
    /// The address.
    pub email: String,
}

/// Whose a token is.
#[derive(Clone, Debug)]
pub struct Holder {
    /// The public id.
    pub token: String,
    /// What others see.
    pub name: String,
}

/// Something that was done.
#[derive(Clone, Debug)]
pub struct AuditEvent {
    /// Its number: later ones have greater ones.
    pub id: i64,
    /// When.
    pub created_at: Time,
    /// Who; none by the command line, by the service itself, and where nobody got in.
    pub actor: Option<Actor>,
    /// How.
    pub via: Via,
    /// What.
    pub action: Action,
    /// To what, by its public name.
    pub subject: String,
    /// What people call that now, where it is a person.
    pub subject_name: Option<String>,
    /// Whose it is, where it is a token.
    pub holder: Option<Holder>,
    /// The form that it is about.
    pub form_token: Option<String>,
    /// What people call that now.
    pub form_name: Option<String>,
}
