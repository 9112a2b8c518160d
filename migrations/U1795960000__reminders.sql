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
