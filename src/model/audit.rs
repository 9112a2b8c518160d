//! Events of the audit log: actors and actions, without values and secrets.

use crate::base::clock::Time;
use crate::base::named::named;

named! {
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
        /// A user moved a form to another of their folders.
        FormMoved = "form.moved",
        /// The settings of a form were changed.
        SettingsUpdated = "form.settings_updated",
        /// The theme of a form was changed.
        ThemeUpdated = "form.theme_updated",
        /// The field rules of a form were changed.
        RulesUpdated = "form.field_rules_updated",
        /// A manager ended all holds of a form.
        HoldsEnded = "form.holds_ended",
        /// A form was shared, or a collaborator's role changed.
        CollaboratorPut = "collaborator.put",
        /// A form was no longer shared.
        CollaboratorRemoved = "collaborator.removed",
        /// The entries of a form were exported.
        EntriesExported = "entries.exported",
        /// Entries were imported into a form.
        EntriesImported = "entries.imported",
        /// Entries of a form that had been in the trash for too long were removed for good.
        EntriesPurged = "entries.purged",
        /// A job that moves entries to the trash was begun.
        EntriesDeleted = "entries.deleted",
        /// A job that sets values of entries was begun.
        EntriesUpdated = "entries.updated",
        /// A job that brings entries back was begun.
        EntriesRestored = "entries.restored",
        /// An entry went to the trash.
        EntryDeleted = "entry.deleted",
        /// An entry came out of the trash.
        EntryRestored = "entry.restored",
        /// An entry in the trash was removed for good.
        EntryPurged = "entry.purged",
        /// A public query was made.
        QueryCreated = "query.created",
        /// A public query was changed.
        QueryUpdated = "query.updated",
        /// A public query was deleted.
        QueryDeleted = "query.deleted",
        /// A webhook was added.
        WebhookCreated = "webhook.created",
        /// A webhook was changed.
        WebhookUpdated = "webhook.updated",
        /// A webhook was deleted.
        WebhookDeleted = "webhook.deleted",
        /// A webhook got a new secret.
        WebhookSecretRotated = "webhook.secret_rotated",
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
        /// A user authorized an application.
        AppAllowed = "app.allowed",
        /// A user revoked an application's grant.
        AppEnded = "app.ended",
        /// An invitation link was created.
        InvitationCreated = "invitation.created",
        /// An invitation link was revoked.
        InvitationRevoked = "invitation.revoked",
        /// An account was created.
        MemberJoined = "member.joined",
        /// A member's role in the organisation changed.
        MemberRoleChanged = "member.role_changed",
        /// An account was disabled.
        MemberDisabled = "member.disabled",
        /// An account was enabled again.
        MemberEnabled = "member.enabled",
        /// An account was deleted.
        MemberDeleted = "member.deleted",
        /// A user signed in.
        SignedIn = "member.signed_in",
        /// A sign-in to an account failed: wrong password or code.
        SignInFailed = "member.sign_in_failed",
        /// A sign-in to an account was throttled.
        SignInThrottled = "member.sign_in_throttled",
        /// A password was changed.
        PasswordChanged = "member.password_changed",
        /// A password was replaced by a link that was mailed.
        PasswordReset = "member.password_reset",
        /// A second factor or new recovery codes were set up.
        SecondFactorEnabled = "member.second_factor_enabled",
        /// A second factor was removed.
        SecondFactorDisabled = "member.second_factor_disabled",
        /// The organisation's name, logo, colour or its mention of formsvc was changed.
        OrganizationUpdated = "organization.updated",
        /// The organisation got another plan.
        PlanChanged = "organization.plan_changed",
        /// A webhook's receiver answered that it is gone, which disabled the webhook.
        WebhookGone = "webhook.gone",
        /// Access tokens of applications are signed with another key.
        KeysRotated = "keys.rotated",
    }
}

impl Action {
    /// The type of the subject.
    pub const fn subject_kind(self) -> &'static str {
        match self {
            Self::FormCreated
            | Self::FormUpdated
            | Self::FormDeleted
            | Self::FormRestored
            | Self::SettingsUpdated
            | Self::HoldsEnded
            | Self::ThemeUpdated
            | Self::RulesUpdated
            | Self::EntriesExported
            | Self::EntriesImported
            | Self::EntriesPurged
            | Self::EntriesDeleted
            | Self::EntriesUpdated
            | Self::EntriesRestored
            | Self::FormPurged
            | Self::FormMoved => "form",
            Self::EntryDeleted | Self::EntryRestored | Self::EntryPurged => "entry",
            Self::QueryCreated | Self::QueryUpdated | Self::QueryDeleted => "query",
            Self::WebhookCreated | Self::WebhookUpdated | Self::WebhookDeleted | Self::WebhookSecretRotated => {
                "webhook"
            }
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
            | Self::PasswordReset
            | Self::SecondFactorEnabled
            | Self::SecondFactorDisabled => "user",
            Self::TokenCreated | Self::TokenRevoked => "token",
            Self::AppCreated | Self::AppDeleted | Self::AppAllowed => "app",
            Self::AppEnded => "connection",
            Self::InvitationCreated | Self::InvitationRevoked => "invitation",
            Self::WebhookGone => "webhook",
            Self::PlanChanged | Self::OrganizationUpdated => "organization",
            Self::KeysRotated => "key",
        }
    }
}

named! {
    /// The channel of an action.
    pub enum Via {
        /// A signed-in browser.
        Session = "session",
        /// A personal access token.
        Token = "token",
        /// An authorized application.
        App = "app",
        /// The command line.
        CommandLine = "command_line",
        /// The service itself, on schedule.
        Service = "service",
    }
}

/// The user who performed an action, with the current name. Deleted accounts have no address.
#[derive(Clone, Debug)]
pub struct Actor {
    pub token: String,
    pub name: String,
    pub email: String,
}

/// The owner of an access token.
#[derive(Clone, Debug)]
pub struct Holder {
    pub token: String,
    pub name: String,
}

#[derive(Clone, Debug)]
pub struct AuditEvent {
    /// Ascending.
    pub id: i64,
    pub created_at: Time,
    /// `None` for the command line, the service itself, and failed sign-ins.
    pub actor: Option<Actor>,
    pub via: Via,
    pub action: Action,
    /// The public id of the subject.
    pub subject: String,
    /// The current name of a subject that is a user.
    pub subject_name: Option<String>,
    /// The owner of a subject that is an access token.
    pub holder: Option<Holder>,
    /// The form that the event concerns.
    pub form_token: Option<String>,
    /// The form's current name.
    pub form_name: Option<String>,
}
