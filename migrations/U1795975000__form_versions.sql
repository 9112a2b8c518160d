-- What a form said after each change of its name, description, fields, rules or theme. `body` is packed where it is
-- large.
CREATE TABLE form_versions (
    form_no INTEGER NOT NULL REFERENCES forms (form_no) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    -- NULL for the command line, and for what a form said before versions were kept.
    user_id INTEGER REFERENCES users (id) ON DELETE SET NULL,
    origin TEXT NOT NULL,
    name TEXT,
    changes TEXT NOT NULL,
    is_packed INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (form_no, version)
) STRICT;
CREATE INDEX form_versions_by_user ON form_versions (user_id) WHERE user_id IS NOT NULL;
