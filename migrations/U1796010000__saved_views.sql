-- Saved views of a form's entries: a name for search, conditions, order and columns.
CREATE TABLE saved_views (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL UNIQUE,
    form_no INTEGER NOT NULL REFERENCES forms (form_no) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    name_folded TEXT NOT NULL,
    query TEXT NOT NULL,
    is_shared INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX saved_views_by_form ON saved_views (form_no, user_id);
CREATE INDEX saved_views_by_user ON saved_views (user_id);
