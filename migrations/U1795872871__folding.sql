-- From here on, names and addresses are the same that differ in invisible characters, in blanks around them or in how a
-- domain is written. Rows that were different and are the same now: one has the new key, the others keep their old ones.
UPDATE OR IGNORE users SET email_folded = same_email(email) WHERE deleted_at IS NULL;
UPDATE OR IGNORE folders SET name_folded = same_text(name);

-- Keys of unique fields are hashes and made from entries, which the service does. 'outdated' until it has; most of them
-- are the same as before, and meanwhile they count as they are.
CREATE TABLE key_fields_new (
    form_no INTEGER NOT NULL REFERENCES forms (form_no) ON DELETE CASCADE,
    field INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('building', 'ready', 'outdated', 'dropping')),
    PRIMARY KEY (form_no, field)
) STRICT, WITHOUT ROWID;
-- Numbers from 16777216 on are those of searched fields, whose keys stay.
INSERT INTO key_fields_new (form_no, field, state)
    SELECT form_no, field, CASE WHEN state = 'ready' AND field < 16777216 THEN 'outdated' ELSE state END
    FROM key_fields;
DROP TABLE key_fields;
ALTER TABLE key_fields_new RENAME TO key_fields;
