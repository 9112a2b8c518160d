-- What mail about a form is counted by: the organisation, the pseudonym of the network whose submission caused it, the
-- folded address, and the hour since 1970 that it was planned for; none where it is held back or not counted.
ALTER TABLE outbox ADD COLUMN organization_id INTEGER REFERENCES organizations (id);
ALTER TABLE outbox ADD COLUMN sender TEXT;
ALTER TABLE outbox ADD COLUMN recipient TEXT;
ALTER TABLE outbox ADD COLUMN hour INTEGER;
CREATE INDEX outbox_by_hour ON outbox (form_no, hour, sender) WHERE hour IS NOT NULL;
CREATE INDEX outbox_by_day ON outbox (organization_id, hour) WHERE hour IS NOT NULL;
CREATE INDEX outbox_by_recipient ON outbox (recipient, created_at) WHERE recipient IS NOT NULL;

-- Mail about accounts is not looked for behind that about forms.
DROP INDEX outbox_due;
CREATE INDEX outbox_due ON outbox (next_attempt_at) WHERE status = 'pending' AND webhook_id IS NULL AND form_no IS NOT NULL;
CREATE INDEX outbox_due_accounts ON outbox (next_attempt_at) WHERE status = 'pending' AND webhook_id IS NULL AND form_no IS NULL;

-- What a link is derived from, so that it can be sent once more.
ALTER TABLE password_resets ADD COLUMN made_at INTEGER;

-- Addresses of notices that are no member's: those that were asked, and those that agreed.
CREATE TABLE notice_addresses (
    organization_id INTEGER NOT NULL REFERENCES organizations (id),
    email_folded TEXT NOT NULL,
    asked_at INTEGER NOT NULL,
    confirmed_at INTEGER,
    PRIMARY KEY (organization_id, email_folded)
) STRICT, WITHOUT ROWID;
-- Those that have been getting notices go on to.
INSERT OR IGNORE INTO notice_addresses (organization_id, email_folded, asked_at, confirmed_at)
SELECT u.organization_id, lower(a.value), f.updated_at, f.updated_at
FROM forms f JOIN users u ON u.id = f.owner_id JOIN json_each(f.settings, '$.notifications.notice.to') a;
