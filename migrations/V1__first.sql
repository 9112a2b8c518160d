-- Times are milliseconds since 1970 in UTC. Public names are random tokens; numbers stay inside.

-- A known text, sealed with the instance key: with another key nothing else that is sealed could be read.
CREATE TABLE canary (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    sealed BLOB NOT NULL
) STRICT;

CREATE TABLE organizations (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    plan TEXT NOT NULL DEFAULT 'unlimited',
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL UNIQUE,
    organization_id INTEGER NOT NULL REFERENCES organizations (id),
    role TEXT NOT NULL CHECK (role IN ('owner', 'member')),
    email TEXT NOT NULL,
    -- Two addresses that differ in case or width alone are one account.
    email_folded TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    locale TEXT NOT NULL,
    timezone TEXT NOT NULL,
    password_hash TEXT,
    disabled_at INTEGER,
    -- Of a deleted account the row stays, without address and password, for what names its maker.
    deleted_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

-- Only hashes of what the browser holds.
CREATE TABLE sessions (
    hash BLOB PRIMARY KEY,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_user ON sessions (user_id);

-- Second factors by time (RFC 6238). The secret is sealed; each step counts once.
CREATE TABLE second_factors (
    user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    secret BLOB NOT NULL,
    last_step INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- Only hashes, and only of those that were not used yet.
CREATE TABLE recovery_codes (
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash BLOB NOT NULL,
    PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;

-- The public address that the last server had, for what commands beside it write.
CREATE TABLE service_address (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    base_url TEXT NOT NULL
) STRICT;

-- There is a row if the last server left checkpoints to another program: commands beside it do so too.
CREATE TABLE external_checkpoints (
    id INTEGER PRIMARY KEY CHECK (id = 1)
) STRICT;

CREATE TABLE setup_links (
    hash BLOB PRIMARY KEY,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Links for those who forgot their password. Each can be used once; a newer one of the same user ends the older.
CREATE TABLE password_resets (
    user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    hash BLOB NOT NULL UNIQUE,
    expires_at INTEGER NOT NULL
) STRICT;

-- Each can be used once, while who made it still owns the organisation.
CREATE TABLE invitations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    hash BLOB NOT NULL UNIQUE,
    organization_id INTEGER NOT NULL REFERENCES organizations (id),
    inviter_id INTEGER NOT NULL REFERENCES users (id),
    role TEXT NOT NULL CHECK (role IN ('owner', 'member')),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER,
    revoked_at INTEGER
) STRICT;
CREATE INDEX tokens_by_user ON tokens (user_id);

-- Applications of others that act for people. Secrets, codes and refresh tokens are kept as hashes only.
CREATE TABLE oauth_clients (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    client_id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    -- None: a public client, which can't keep a secret.
    secret_hash BLOB,
    -- A JSON list.
    redirect_uris TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- What a user allowed an application once. It ends by being removed.
CREATE TABLE oauth_grants (
    -- Never used again: a request that goes on for long asks by it.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    token TEXT NOT NULL UNIQUE,
    client INTEGER NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    scopes TEXT NOT NULL,
    -- Counts its refresh tokens: the last one is live.
    generation INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER,
    -- When its live refresh token ends.
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX oauth_grants_by_user ON oauth_grants (user_id, client);
CREATE INDEX oauth_grants_by_client ON oauth_grants (client);
CREATE INDEX oauth_grants_by_end ON oauth_grants (expires_at);

-- Those that were used stay, so that whoever uses one again is noticed.
CREATE TABLE oauth_refresh_tokens (
    hash BLOB PRIMARY KEY,
    grant_id INTEGER NOT NULL REFERENCES oauth_grants (id) ON DELETE CASCADE,
    generation INTEGER NOT NULL,
    rotated_at INTEGER,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_refresh_tokens_by_grant ON oauth_refresh_tokens (grant_id);
CREATE INDEX oauth_refresh_tokens_by_end ON oauth_refresh_tokens (expires_at);

CREATE TABLE oauth_codes (
    hash BLOB PRIMARY KEY,
    client INTEGER NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    redirect_uri TEXT NOT NULL,
    challenge TEXT NOT NULL,
    scopes TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    -- What it was exchanged for: it stays as long as that, so that a second exchange is noticed.
    grant_id INTEGER REFERENCES oauth_grants (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_codes_by_client ON oauth_codes (client);
CREATE INDEX oauth_codes_by_user ON oauth_codes (user_id);
CREATE INDEX oauth_codes_by_grant ON oauth_codes (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oauth_codes_by_end ON oauth_codes (expires_at) WHERE grant_id IS NULL;

-- Public halves of the keys that access tokens are signed with; private ones are files.
CREATE TABLE signing_keys (
    kid TEXT PRIMARY KEY,
    public BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    -- Since when it signs nothing more.
    retired_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE forms (
    -- Never used again: entries are addressed by it.
    form_no INTEGER PRIMARY KEY AUTOINCREMENT,
    token TEXT NOT NULL UNIQUE,
    owner_id INTEGER NOT NULL REFERENCES users (id),
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    description TEXT,
    scene TEXT NOT NULL,
    layout TEXT NOT NULL,
    locale TEXT NOT NULL,
    timezone TEXT NOT NULL,
    published INTEGER NOT NULL,
    -- Each part's own version makes its ETag; `version` counts every change of any part.
    version INTEGER NOT NULL,
    form_version INTEGER NOT NULL,
    settings_version INTEGER NOT NULL,
    theme_version INTEGER NOT NULL,
    rules_version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    deleted_at INTEGER,
    -- When its events were last read as a stream. All events after `streamed_from` were written since.
    streamed_at INTEGER,
    streamed_from INTEGER,
    -- Long, so they stand last: lists never read as far.
    fields TEXT NOT NULL,
    settings TEXT NOT NULL,
    theme TEXT NOT NULL,
    field_rules TEXT NOT NULL
) STRICT;
-- Lists are ordered, searched by name and counted in these alone.
CREATE INDEX forms_by_owner ON forms (owner_id, created_at, form_no, name_folded) WHERE deleted_at IS NULL;
CREATE INDEX forms_by_owner_changed ON forms (owner_id, updated_at, form_no, name_folded) WHERE deleted_at IS NULL;
CREATE INDEX forms_live ON forms (form_no, created_at, updated_at, name_folded) WHERE deleted_at IS NULL;
CREATE INDEX forms_deleted ON forms (deleted_at) WHERE deleted_at IS NOT NULL;

-- Who else may see a form, and how far. Its owner is none of them.
CREATE TABLE collaborators (
    form_no INTEGER NOT NULL REFERENCES forms (form_no) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('viewer', 'editor', 'manager')),
    PRIMARY KEY (form_no, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collaborators_by_user ON collaborators (user_id, form_no);

-- A user's own order of forms; nobody else sees it.
CREATE TABLE folders (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL UNIQUE,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- None at the top.
    parent_id INTEGER REFERENCES folders (id),
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX folders_by_name ON folders (user_id, ifnull(parent_id, 0), name_folded);
CREATE INDEX folders_by_parent ON folders (parent_id) WHERE parent_id IS NOT NULL;

-- Which of a user's folders a form lies in; in none without a row.
CREATE TABLE placements (
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    form_no INTEGER NOT NULL REFERENCES forms (form_no) ON DELETE CASCADE,
    folder_id INTEGER NOT NULL REFERENCES folders (id),
    PRIMARY KEY (user_id, form_no)
) STRICT, WITHOUT ROWID;
CREATE INDEX placements_by_folder ON placements (folder_id, form_no);
CREATE INDEX placements_by_form ON placements (form_no);

-- Beside the form, so that a submission never rewrites the form's long row.
CREATE TABLE form_counters (
    form_no INTEGER PRIMARY KEY REFERENCES forms (form_no) ON DELETE CASCADE,
    next_serial INTEGER NOT NULL,
    live_count INTEGER NOT NULL,
    trash_count INTEGER NOT NULL,
    -- How often an entry came back out of the trash: who looks at all entries sees that one did meanwhile.
    restores INTEGER NOT NULL DEFAULT 0,
    -- Changes of serials up to here are noted in segment_changes.
    sealed_upto INTEGER NOT NULL,
    -- How often one beyond those changed, went or came back.
    unsealed_changes INTEGER NOT NULL,
    last_entry_at INTEGER,
    -- The number of the next event. Never used again.
    next_event INTEGER NOT NULL DEFAULT 1
) STRICT;

-- Live entries. The id is form_no << 32 | serial: a form's entries lie together, newest last.
CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    creator_name TEXT,
    duration_secs INTEGER,
    x_field_1 TEXT,
    "values" TEXT NOT NULL,
    -- Who submitted it while signed in.
    respondent INTEGER REFERENCES users (id) ON DELETE SET NULL,
    -- What the service added to the values, as a JSON object; NULL where it added nothing.
    results TEXT
) STRICT;
CREATE INDEX entries_by_respondent ON entries (respondent, id) WHERE respondent IS NOT NULL;
-- Those that wait for room, in the order in which they move up.
CREATE INDEX entries_waiting ON entries (id) WHERE results ->> '$.is_waiting' = 1;
-- Entries that were edited; the others are in the order of their ids.
CREATE INDEX entries_edited ON entries (id >> 32, updated_at, id) WHERE updated_at > created_at;

-- Deleted entries, so that pages of live ones never walk past them.
CREATE TABLE entries_trash (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    creator_name TEXT,
    duration_secs INTEGER,
    x_field_1 TEXT,
    "values" TEXT NOT NULL,
    respondent INTEGER REFERENCES users (id) ON DELETE SET NULL,
    results TEXT,
    deleted_at INTEGER NOT NULL
) STRICT;
CREATE INDEX entries_trash_by_respondent ON entries_trash (respondent) WHERE respondent IS NOT NULL;
CREATE INDEX entries_trash_by_age ON entries_trash (deleted_at);
CREATE INDEX entries_trash_edited ON entries_trash (id >> 32, updated_at, id) WHERE updated_at > created_at;

-- Exact keys of unique fields: 16 bytes under the instance key in place of the value. A negative serial is that of a
-- row which an import under way brings.
CREATE TABLE entry_keys (
    form_no INTEGER NOT NULL,
    field INTEGER NOT NULL,
    key BLOB NOT NULL,
    serial INTEGER NOT NULL,
    PRIMARY KEY (form_no, field, key, serial)
) STRICT, WITHOUT ROWID;

-- How many of what there may be only so many of are taken: by live entries, and by the rows of imports that are under
-- way. Everything countable is counted, also what has no limit today.
CREATE TABLE capacity_taken (
    form_no INTEGER NOT NULL,
    field INTEGER NOT NULL,
    counter TEXT NOT NULL,
    taken INTEGER NOT NULL CHECK (taken > 0),
    PRIMARY KEY (form_no, field, counter)
) STRICT, WITHOUT ROWID;

-- What somebody keeps while they fill in a form. It counts as taken until it ends, by the clock alone.
CREATE TABLE holds (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    form_no INTEGER NOT NULL REFERENCES forms (form_no) ON DELETE CASCADE,
    -- Of its token.
    hash BLOB NOT NULL UNIQUE,
    -- A keyed hash of the address that asked for it, another one each day.
    sender TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX holds_by_sender ON holds (form_no, sender, expires_at);
CREATE INDEX holds_by_end ON holds (expires_at);
CREATE TABLE hold_takes (
    form_no INTEGER NOT NULL,
    field INTEGER NOT NULL,
    counter TEXT NOT NULL,
    hold_id INTEGER NOT NULL REFERENCES holds (id) ON DELETE CASCADE,
    amount INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (form_no, field, counter, hold_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX hold_takes_by_hold ON hold_takes (hold_id);

-- Imports that are under way. While rows still come they wait in pieces; then the import gets its serials, and
-- its pieces become entries one by one, which nobody sees until the last one is there.
CREATE TABLE imports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    form_no INTEGER NOT NULL REFERENCES forms (form_no) ON DELETE CASCADE,
    creator_name TEXT,
    -- Who has not touched it for a while is gone.
    touched_at INTEGER NOT NULL,
    row_count INTEGER NOT NULL,
    first_serial INTEGER,
    settled_at INTEGER,
    -- Of one whose entries can be seen: how many of them events were written of.
    told INTEGER
) STRICT;
CREATE TABLE import_pieces (
    import_id INTEGER NOT NULL REFERENCES imports (id) ON DELETE CASCADE,
    -- The number of its first row, from 0.
    first INTEGER NOT NULL,
    rows TEXT NOT NULL,
    PRIMARY KEY (import_id, first)
) STRICT;

-- Forms whose entries are still to be brought to their fields: values of removed fields and choices go, and formulas
-- are computed again. The row comes with the edit.
CREATE TABLE rewrites (
    form_no INTEGER PRIMARY KEY REFERENCES forms (form_no) ON DELETE CASCADE,
    -- The form's version after the edit.
    edit INTEGER NOT NULL,
    stage TEXT NOT NULL CHECK (stage IN ('live', 'trash', 'rest', 'file')),
    -- The last serial of this stage that is done.
    after INTEGER NOT NULL,
    -- The form's count of restores when it began.
    restores INTEGER NOT NULL,
    -- Whether something was removed.
    removes INTEGER NOT NULL,
    -- Whether formulas may give something else.
    recomputes INTEGER NOT NULL
) STRICT;

-- Which fields have keys: 'building' until the entries that were there have theirs.
CREATE TABLE key_fields (
    form_no INTEGER NOT NULL REFERENCES forms (form_no) ON DELETE CASCADE,
    field INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('building', 'ready', 'dropping')),
    PRIMARY KEY (form_no, field)
) STRICT, WITHOUT ROWID;

-- Column segments: a copy of what filters look at, by blocks of 4,096 serials and one column each. The id is
-- form_no << 32 | slot << 20 | block. All of it is made again from the entries wherever it is missing.
CREATE TABLE segments (
    id INTEGER PRIMARY KEY,
    data BLOB NOT NULL
) STRICT;

-- The columns that have a slot. A column whose field has changed since has another mark.
CREATE TABLE segment_columns (
    form_no INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    name TEXT NOT NULL,
    mark INTEGER NOT NULL,
    PRIMARY KEY (form_no, slot),
    UNIQUE (form_no, name, mark)
) STRICT, WITHOUT ROWID;

-- The blocks that have segments, by form_no << 32 | block: which serials were live, and how often the block
-- has been made, so that nothing prepared from an earlier state is put into a later one.
CREATE TABLE segment_blocks (
    id INTEGER PRIMARY KEY,
    round INTEGER NOT NULL,
    live BLOB NOT NULL
) STRICT;

-- Entries that changed, went or came back since their block was made, by the ids of entries, and how often.
CREATE TABLE segment_changes (
    id INTEGER PRIMARY KEY,
    count INTEGER NOT NULL
) STRICT;

-- Contents of files, by their SHA-256. The bytes lie in blobs/, under a name made of the same; they are there
-- before the row is. Rows that name a content are counted by the triggers below; one that none names goes.
CREATE TABLE blobs (
    hash BLOB PRIMARY KEY,
    size INTEGER NOT NULL,
    refs INTEGER NOT NULL DEFAULT 0 CHECK (refs >= 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX blobs_idle ON blobs (hash) WHERE refs = 0;

-- Files that somebody said would come. Each comes once, and is used once; the row stays for a day, so that who
-- comes with it again is told why not.
CREATE TABLE uploads (
    token TEXT PRIMARY KEY,
    purpose TEXT NOT NULL,
    -- Whose form it is for; of an answer's file, the form and the field.
    organization_id INTEGER REFERENCES organizations (id),
    form_no INTEGER REFERENCES forms (form_no) ON DELETE CASCADE,
    field TEXT,
    dimension TEXT,
    file_name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    file_size INTEGER NOT NULL,
    -- Seconds, of a recording that says so.
    duration REAL,
    -- A keyed hash of the address that it comes from, another one each day.
    sender TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    put_at INTEGER,
    used_at INTEGER,
    -- Of an image that pages show, in pixels, from when it came.
    width INTEGER,
    height INTEGER,
    -- From when it came until it is used.
    hash BLOB REFERENCES blobs (hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX uploads_open ON uploads (sender, form_no, expires_at) WHERE put_at IS NULL;
CREATE INDEX uploads_unused ON uploads (put_at, expires_at, file_size) WHERE used_at IS NULL;
CREATE INDEX uploads_by_sender ON uploads (sender, created_at, file_size);
CREATE INDEX uploads_by_age ON uploads (created_at);
CREATE INDEX uploads_by_form ON uploads (form_no) WHERE form_no IS NOT NULL;
CREATE INDEX uploads_by_hash ON uploads (hash) WHERE hash IS NOT NULL;

-- Files of entries, also of those in the trash. The entry's value says which of them are shown, and where.
CREATE TABLE files (
    token TEXT PRIMARY KEY,
    -- An address: form_no << 32 | serial.
    entry INTEGER NOT NULL,
    name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    hash BLOB NOT NULL REFERENCES blobs (hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX files_by_entry ON files (entry);
CREATE INDEX files_by_hash ON files (hash);

-- Images that pages show, of an organisation.
CREATE TABLE images (
    token TEXT PRIMARY KEY,
    organization_id INTEGER NOT NULL REFERENCES organizations (id),
    content_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    -- In pixels, as it is shown.
    width INTEGER NOT NULL,
    height INTEGER NOT NULL,
    hash BLOB NOT NULL REFERENCES blobs (hash),
    -- How many name it, and since when none does, once that was noticed: after a day it goes.
    uses INTEGER NOT NULL DEFAULT 0 CHECK (uses >= 0),
    idle_since INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX images_by_hash ON images (hash);
CREATE INDEX images_idle ON images (idle_since) WHERE uses = 0;

-- The parts of forms that name images: fields, theme, settings.
CREATE TABLE image_uses (
    form_no INTEGER NOT NULL REFERENCES forms (form_no) ON DELETE CASCADE,
    part TEXT NOT NULL,
    image TEXT NOT NULL REFERENCES images (token),
    PRIMARY KEY (form_no, part, image)
) STRICT, WITHOUT ROWID;
CREATE INDEX image_uses_by_image ON image_uses (image);

-- Pages on which visitors look up entries of a form.
CREATE TABLE public_queries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    token TEXT NOT NULL UNIQUE,
    -- NULL once the form is gone for good.
    form_no INTEGER REFERENCES forms (form_no) ON DELETE SET NULL,
    -- Whose it is once the form is gone.
    creator_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
    version INTEGER NOT NULL,
    name TEXT NOT NULL,
    description TEXT,
    enabled INTEGER NOT NULL,
    allow_to_export_results INTEGER NOT NULL,
    -- What is searched, shown and queried, as JSON.
    rules TEXT NOT NULL,
    -- The image in its header.
    image TEXT REFERENCES images (token),
    searches_count INTEGER NOT NULL DEFAULT 0,
    views_count INTEGER NOT NULL DEFAULT 0,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX public_queries_by_form ON public_queries (form_no, id);
CREATE INDEX public_queries_by_creator ON public_queries (creator_id, id) WHERE form_no IS NULL;
CREATE INDEX public_queries_by_image ON public_queries (image) WHERE image IS NOT NULL;

-- Smaller ones of the same, made when somebody asked for them first. Without a content: the image itself does.
CREATE TABLE image_variants (
    image TEXT NOT NULL REFERENCES images (token) ON DELETE CASCADE,
    width INTEGER NOT NULL,
    content_type TEXT,
    size INTEGER,
    hash BLOB REFERENCES blobs (hash),
    PRIMARY KEY (image, width)
) STRICT, WITHOUT ROWID;
CREATE INDEX image_variants_by_hash ON image_variants (hash) WHERE hash IS NOT NULL;

CREATE TRIGGER image_uses_come AFTER INSERT ON image_uses BEGIN
    UPDATE images SET uses = uses + 1, idle_since = NULL WHERE token = NEW.image;
END;
CREATE TRIGGER image_uses_go AFTER DELETE ON image_uses BEGIN
    UPDATE images SET uses = uses - 1 WHERE token = OLD.image;
END;
CREATE TRIGGER public_queries_come AFTER INSERT ON public_queries WHEN NEW.image IS NOT NULL BEGIN
    UPDATE images SET uses = uses + 1, idle_since = NULL WHERE token = NEW.image;
END;
CREATE TRIGGER public_queries_change AFTER UPDATE OF image ON public_queries WHEN OLD.image IS NOT NEW.image BEGIN
    UPDATE images SET uses = uses + 1, idle_since = NULL WHERE token = NEW.image;
    UPDATE images SET uses = uses - 1 WHERE token = OLD.image;
END;
CREATE TRIGGER public_queries_go AFTER DELETE ON public_queries WHEN OLD.image IS NOT NULL BEGIN
    UPDATE images SET uses = uses - 1 WHERE token = OLD.image;
END;
CREATE TRIGGER images_come AFTER INSERT ON images BEGIN
    UPDATE blobs SET refs = refs + 1 WHERE hash = NEW.hash;
END;
CREATE TRIGGER images_go AFTER DELETE ON images BEGIN
    UPDATE blobs SET refs = refs - 1 WHERE hash = OLD.hash;
END;
CREATE TRIGGER image_variants_come AFTER INSERT ON image_variants BEGIN
    UPDATE blobs SET refs = refs + 1 WHERE hash = NEW.hash;
END;
CREATE TRIGGER image_variants_go AFTER DELETE ON image_variants BEGIN
    UPDATE blobs SET refs = refs - 1 WHERE hash = OLD.hash;
END;
CREATE TRIGGER files_come AFTER INSERT ON files BEGIN
    UPDATE blobs SET refs = refs + 1 WHERE hash = NEW.hash;
END;
CREATE TRIGGER files_go AFTER DELETE ON files BEGIN
    UPDATE blobs SET refs = refs - 1 WHERE hash = OLD.hash;
END;
CREATE TRIGGER uploads_change AFTER UPDATE OF hash ON uploads WHEN OLD.hash IS NOT NEW.hash BEGIN
    UPDATE blobs SET refs = refs + 1 WHERE hash = NEW.hash;
    UPDATE blobs SET refs = refs - 1 WHERE hash = OLD.hash;
END;
CREATE TRIGGER uploads_go AFTER DELETE ON uploads WHEN OLD.hash IS NOT NULL BEGIN
    UPDATE blobs SET refs = refs - 1 WHERE hash = OLD.hash;
END;

-- Answers to requests that may be sent twice. The answer is sealed: it may hold an edit token.
CREATE TABLE idempotent_answers (
    form_no INTEGER NOT NULL,
    caller BLOB NOT NULL,
    key TEXT NOT NULL,
    request BLOB NOT NULL,
    answer BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (form_no, caller, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotent_answers_by_age ON idempotent_answers (created_at);

-- Where the events of a form are sent to.
CREATE TABLE webhooks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    token TEXT NOT NULL UNIQUE,
    form_no INTEGER NOT NULL REFERENCES forms (form_no) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    url TEXT NOT NULL,
    -- The kinds of events that it wants, as a JSON list.
    trigger_events TEXT NOT NULL,
    enabled INTEGER NOT NULL,
    -- Sealed. The one before the last rotation signs too, for a while.
    secret BLOB NOT NULL,
    old_secret BLOB,
    old_secret_until INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_by_form ON webhooks (form_no, id);

-- What happened to entries, where a webhook or a reader of the form's stream wants it. The row comes with the change
-- itself. The id is form_no << 32 | number: a form's events lie together, in the order of their commits.
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    -- Of the entry; none for a ping.
    serial INTEGER,
    kind TEXT NOT NULL CHECK (kind IN ('entry_created', 'entry_updated', 'entry_deleted', 'entry_restored', 'ping')),
    created_at INTEGER NOT NULL,
    -- Whether a delivery names it; then it is kept as long.
    is_queued INTEGER NOT NULL,
    -- Whether the entry was removed for good while a delivery waited.
    entry_is_gone INTEGER NOT NULL DEFAULT 0,
    -- The JSON text, exactly as it is sent.
    body BLOB NOT NULL
) STRICT;
CREATE INDEX events_by_entry ON events (id >> 32, serial) WHERE serial IS NOT NULL;
CREATE INDEX events_by_age ON events (created_at) WHERE is_queued = 0;

-- What leaves the service: mail, and events on their way to webhooks. The row comes with the change that it tells of. A
-- mail's target and body are those of that moment; its body is sealed, since it may hold links that open something, and
-- goes once the mail came to an end. A webhook's body is the event's.
CREATE TABLE outbox (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('receipt', 'notice', 'invitation', 'password_reset', 'webhook')),
    -- The entry that a mail tells of; none for mail of the service itself.
    form_no INTEGER REFERENCES forms (form_no) ON DELETE CASCADE,
    serial INTEGER,
    -- A webhook's delivery: who gets what. The webhook may be gone: then the rest of its deliveries is being removed.
    webhook_id INTEGER,
    event_id INTEGER REFERENCES events (id),
    target TEXT NOT NULL,
    body BLOB,
    status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts INTEGER NOT NULL,
    -- Of one that is being sent: when it is taken for lost.
    next_attempt_at INTEGER,
    is_underway INTEGER NOT NULL,
    -- Fixed words of ours, never those of a server.
    error TEXT,
    -- What a webhook's receiver answered to the last attempt, and after how long.
    response_status INTEGER,
    response_ms INTEGER,
    created_at INTEGER NOT NULL,
    CHECK ((kind = 'webhook') = (webhook_id IS NOT NULL)),
    CHECK ((kind = 'webhook') = (event_id IS NOT NULL))
) STRICT;
CREATE INDEX outbox_due ON outbox (next_attempt_at) WHERE status = 'pending' AND webhook_id IS NULL;
CREATE INDEX outbox_due_webhooks ON outbox (webhook_id, next_attempt_at) WHERE status = 'pending' AND webhook_id IS NOT NULL;
CREATE INDEX outbox_underway ON outbox (id) WHERE is_underway = 1;
CREATE INDEX outbox_by_entry ON outbox (form_no, serial) WHERE form_no IS NOT NULL;
CREATE INDEX outbox_by_form ON outbox (form_no, id) WHERE form_no IS NOT NULL;
CREATE INDEX outbox_by_webhook ON outbox (webhook_id, id) WHERE webhook_id IS NOT NULL;
CREATE INDEX outbox_by_event ON outbox (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX outbox_by_age ON outbox (created_at);

-- Who did what to which form, token, app or member. Rows are only ever added, and hold neither values nor secrets.
CREATE TABLE audit_events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id INTEGER NOT NULL REFERENCES organizations (id),
    created_at INTEGER NOT NULL,
    -- None: whoever runs the service, by the command line; the service itself; nobody who got in.
    actor_id INTEGER REFERENCES users (id),
    via TEXT NOT NULL,
    action TEXT NOT NULL,
    -- The public name of what it was done to; the action says what that is.
    subject TEXT NOT NULL,
    -- Whose it is, where it is a token.
    holder_id INTEGER REFERENCES users (id),
    form_token TEXT
) STRICT;
CREATE INDEX audit_events_by_organization ON audit_events (organization_id, id);
CREATE INDEX audit_events_by_form ON audit_events (form_token, id) WHERE form_token IS NOT NULL;
CREATE TRIGGER audit_events_do_not_change BEFORE UPDATE ON audit_events
BEGIN
    SELECT RAISE(ABORT, 'audit events do not change');
END;
CREATE TRIGGER audit_events_do_not_go BEFORE DELETE ON audit_events
BEGIN
    SELECT RAISE(ABORT, 'audit events do not go');
END;
