-- From here on, telephone numbers are compared as they are dialled from abroad (0170 1234567 and 170 1234567 are one
-- number in Germany), and large numbers in plain digits. Keys are made from entries, which the service does: those of
-- unique fields are 'outdated' until it has, and those of searched phones, which are numbered from 16777216 on, are built
-- anew.
UPDATE key_fields SET state = CASE WHEN field < 16777216 THEN 'outdated' ELSE 'dropping' END
    WHERE state = 'ready' AND (form_no, field % 16777216) IN (
        SELECT form_no, CAST(substr(question.value ->> 'api_code', 7) AS INTEGER)
            FROM forms, json_each(forms.fields, '$.fields') AS question
            WHERE question.value ->> 'type' = 'phone' OR (question.value ->> 'type' = 'number' AND field < 16777216)
                -- What was a phone or a number before is read as its text.
                OR EXISTS (SELECT 1 FROM json_each(question.value, '$.past') AS past
                    WHERE past.value IN ('phone', 'number'))
    );
