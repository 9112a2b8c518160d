-- Long work on many entries of a form, which is done in pieces.
CREATE TABLE form_jobs (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL UNIQUE,
    form_no INTEGER NOT NULL REFERENCES forms (form_no) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    done INTEGER NOT NULL,
    total INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    payload TEXT NOT NULL,
    problem TEXT,
    undone_by INTEGER REFERENCES form_jobs (id) ON DELETE SET NULL,
    created_at INTEGER NOT NULL,
    finished_at INTEGER
) STRICT;
CREATE INDEX form_jobs_by_form ON form_jobs (form_no, id);
CREATE INDEX form_jobs_by_user ON form_jobs (user_id);
CREATE INDEX form_jobs_by_undo ON form_jobs (undone_by) WHERE undone_by IS NOT NULL;
CREATE INDEX form_jobs_open ON form_jobs (id) WHERE finished_at IS NULL;
CREATE INDEX form_jobs_finished ON form_jobs (finished_at) WHERE finished_at IS NOT NULL;

-- The serial numbers of a job's entries, some hundred in a row. Once a piece is done, those that were changed.
CREATE TABLE form_job_pieces (
    job_id INTEGER NOT NULL REFERENCES form_jobs (id) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    serials TEXT NOT NULL,
    is_done INTEGER NOT NULL,
    PRIMARY KEY (job_id, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE form_job_refusals (
    job_id INTEGER NOT NULL REFERENCES form_jobs (id) ON DELETE CASCADE,
    serial INTEGER NOT NULL,
    details TEXT NOT NULL,
    PRIMARY KEY (job_id, serial)
) STRICT, WITHOUT ROWID;

-- Files that wait to be imported: the newest of each person and form.
CREATE TABLE import_files (
    form_no INTEGER NOT NULL REFERENCES forms (form_no) ON DELETE CASCADE,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    token TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    content BLOB NOT NULL,
    columns TEXT NOT NULL,
    rows INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (form_no, user_id)
) STRICT;
CREATE INDEX import_files_by_user ON import_files (user_id);
CREATE INDEX import_files_by_time ON import_files (created_at);
