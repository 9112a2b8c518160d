-- Mail has more kinds: a table's rule is changed by a table of its own. Numbers are never given again.
CREATE TABLE outbox_new (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('receipt', 'notice', 'waiting', 'moved_up', 'cancelled', 'changed', 'reminder',
        'invitation', 'password_reset', 'webhook')),
    form_no INTEGER REFERENCES forms (form_no) ON DELETE CASCADE,
    serial INTEGER,
    webhook_id INTEGER,
    event_id INTEGER REFERENCES events (id),
    target TEXT NOT NULL,
    body BLOB,
    status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts INTEGER NOT NULL,
    next_attempt_at INTEGER,
    is_underway INTEGER NOT NULL,
    error TEXT,
    response_status INTEGER,
    response_ms INTEGER,
    created_at INTEGER NOT NULL,
    organization_id INTEGER REFERENCES organizations (id),
    sender TEXT,
    recipient TEXT,
    hour INTEGER,
    CHECK ((kind = 'webhook') = (webhook_id IS NOT NULL)),
    CHECK ((kind = 'webhook') = (event_id IS NOT NULL))
) STRICT;
INSERT INTO outbox_new (id, kind, form_no, serial, webhook_id, event_id, target, body, status, attempts, next_attempt_at, is_underway, error,
    response_status, response_ms, created_at, organization_id, sender, recipient, hour)
SELECT id, kind, form_no, serial, webhook_id, event_id, target, body, status, attempts, next_attempt_at, is_underway, error,
    response_status, response_ms, created_at, organization_id, sender, recipient, hour
FROM outbox;
DELETE FROM sqlite_sequence WHERE name = 'outbox_new';
INSERT INTO sqlite_sequence (name, seq) SELECT 'outbox_new', seq FROM sqlite_sequence WHERE name = 'outbox';
DROP TABLE outbox;
ALTER TABLE outbox_new RENAME TO outbox;
CREATE INDEX outbox_due ON outbox (next_attempt_at) WHERE status = 'pending' AND webhook_id IS NULL AND form_no IS NOT NULL;
CREATE INDEX outbox_due_accounts ON outbox (next_attempt_at) WHERE status = 'pending' AND webhook_id IS NULL AND form_no IS NULL;
CREATE INDEX outbox_due_webhooks ON outbox (webhook_id, next_attempt_at) WHERE status = 'pending' AND webhook_id IS NOT NULL;
CREATE INDEX outbox_underway ON outbox (id) WHERE is_underway = 1;
CREATE INDEX outbox_by_entry ON outbox (form_no, serial) WHERE form_no IS NOT NULL;
CREATE INDEX outbox_by_form ON outbox (form_no, id) WHERE form_no IS NOT NULL;
CREATE INDEX outbox_by_webhook ON outbox (webhook_id, id) WHERE webhook_id IS NOT NULL;
CREATE INDEX outbox_by_event ON outbox (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX outbox_by_age ON outbox (created_at);
CREATE INDEX outbox_by_hour ON outbox (form_no, hour, sender) WHERE hour IS NOT NULL;
CREATE INDEX outbox_by_day ON outbox (organization_id, hour) WHERE hour IS NOT NULL;
CREATE INDEX outbox_by_recipient ON outbox (recipient, created_at) WHERE recipient IS NOT NULL;

-- Bookings that respondents were reminded of, by when they begin; those that are over are forgotten.
CREATE TABLE reminders (
    form_no INTEGER NOT NULL,
    serial INTEGER NOT NULL,
    starts_at INTEGER NOT NULL,
    PRIMARY KEY (form_no, serial, starts_at)
) STRICT, WITHOUT ROWID;

-- Forms that remind are looked through every minute.
CREATE INDEX forms_reminding ON forms (form_no)
    WHERE settings ->> '$.notifications.reminder.enabled' = 1 AND deleted_at IS NULL;
