-- Entries whose people have arrived, each once.
CREATE TABLE check_ins (
    -- form_no << 32 | serial, as in entries.
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    user_id INTEGER REFERENCES users (id) ON DELETE SET NULL
) STRICT;
CREATE INDEX check_ins_by_user ON check_ins (user_id) WHERE user_id IS NOT NULL;
-- Those who have cancelled don't come.
CREATE INDEX entries_cancelled ON entries (id) WHERE results ->> '$.reservation_status' = 'cancelled';
