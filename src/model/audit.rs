//! What the audit log tells of: who did what, without values and secrets.

use crate::base::clock::Time;
use crate::base::named::named;

named! {
    /// What was done.
    pub enum Action {
        /// A form was made.
        FormCreated = "form.created",
        /// A form was changed.
        FormUpdated = "form.updated",
        /// A form went to the trash.
        FormDeleted = "form.deleted",
        /// A form came out of the trash.
        FormRestored = "form.restored",
        /// A form that had been in the trash for too long was removed for good.
        FormPurged = "form.purged",
        /// Somebody moved a form to another folder of theirs.
        FormMoved = "form.moved",
        /// The settings of a form were changed.
        SettingsUpdated = "form.settings_updated",
        /// The theme of a form was changed.
        ThemeUpdated = "form.theme_updated",
        /// The field rules of a form were changed.
        RulesUpdated = "form.field_rules_updated",
        /// A form was shared, or how far.
        CollaboratorPut = "collaborator.put",
        /// A form was no longer shared.
        CollaboratorRemoved = "collaborator.removed",
        /// The entries of a form were exported.
        EntriesExported = "entries.exported",
        /// Entries were imported into a form.
        EntriesImported = "entries.imported",
        /// Entries of a form that had been in the trash for too long were removed for good.
        EntriesPurged = "entries.purged",
        /// An entry went to the trash.
        EntryDeleted = "entry.deleted",
        /// An entry came out of the trash.
        EntryRestored = "entry.restored",
        /// An entry in the trash was removed for good.
        EntryPurged = "entry.purged",
        /// A folder was made.
        FolderCreated = "folder.created",
        /// A folder got another name.
        FolderUpdated = "folder.updated",
        /// A folder was removed.
        FolderDeleted = "folder.deleted",
        /// A personal access token was made.
        TokenCreated = "token.created",
        /// A personal access token was revoked.
        TokenRevoked = "token.revoked",
        /// An application was registered.
        AppCreated = "app.created",
        /// An application was deleted.
        AppDeleted = "app.deleted",
        /// Somebody allowed an application to act for them.
        AppAllowed = "app.allowed",
        /// Somebody took that back.
        AppEnded = "app.ended",
        /// A link was made that invites somebody.
        InvitationCreated = "invitation.created",
        /// Such a link was taken back.
        InvitationRevoked = "invitation.revoked",
        /// Somebody got an account.
        MemberJoined = "member.joined",
        /// Somebody got another role in the organisation.
        MemberRoleChanged = "member.role_changed",
        /// Somebody was kept from signing in and calling.
        MemberDisabled = "member.disabled",
        /// Somebody was let in again.
        MemberEnabled = "member.enabled",
        /// An account was deleted.
        MemberDeleted = "member.deleted",
        /// Somebody signed in.
        SignedIn = "member.signed_in",
        /// Somebody tried to sign in to an account with a wrong password or code.
        SignInFailed = "member.sign_in_failed",
        /// Somebody tried to sign in to an account and had to wait.
        SignInThrottled = "member.sign_in_throttled",
        /// A password was changed.
        PasswordChanged = "member.password_changed",
        /// Somebody set up a second factor, or new recovery codes.
        SecondFactorEnabled = "member.second_factor_enabled",
        /// A second factor was taken away.
        SecondFactorDisabled = "member.second_factor_disabled",
        /// The organisation got another plan.
        PlanChanged = "organization.plan_changed",
        /// Access tokens of applications are signed with another key.
        KeysRotated = "keys.rotated",
    }
}

impl Action {
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
}

named! {
    /// How somebody did it.
    pub enum Via {
        /// On a page, signed in.
        Session = "session",
        /// With a personal access token.
        Token = "token",
        /// By an application that they allowed to.
        App = "app",
        /// By the command line.
        CommandLine = "command_line",
        /// By nobody: the service did it when its time had come.
        Service = "service",
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
