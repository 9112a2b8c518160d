-- What a draft holds besides its questions: the rules, the theme and the exam's questions, each as it was changed and as
-- it was published when the change began.
CREATE TABLE draft_parts (
    form_no INTEGER NOT NULL REFERENCES drafts (form_no) ON DELETE CASCADE,
    part TEXT NOT NULL,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    base TEXT NOT NULL,
    PRIMARY KEY (form_no, part)
) STRICT, WITHOUT ROWID;
