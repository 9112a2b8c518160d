-- Changes of a form's questions that are not published. A question is a row, so that two people meet only where they
-- change the same one.
CREATE TABLE drafts (
    form_no INTEGER PRIMARY KEY REFERENCES forms (form_no) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    next_field INTEGER NOT NULL,
    places TEXT NOT NULL
) STRICT;

-- `body` is null for a question that was removed, `base` for one that was added: else it is the published question
-- from which the draft began.
CREATE TABLE draft_fields (
    form_no INTEGER NOT NULL REFERENCES drafts (form_no) ON DELETE CASCADE,
    code TEXT NOT NULL,
    version INTEGER NOT NULL,
    body TEXT,
    base TEXT,
    PRIMARY KEY (form_no, code)
) STRICT, WITHOUT ROWID;

-- The way back of each change.
CREATE TABLE draft_steps (
    form_no INTEGER NOT NULL REFERENCES drafts (form_no) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    created_at INTEGER NOT NULL,
    subject TEXT NOT NULL,
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    is_undone INTEGER NOT NULL,
    PRIMARY KEY (form_no, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX draft_steps_by_user ON draft_steps (user_id);
