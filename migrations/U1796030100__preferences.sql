-- How somebody likes pages to be, as a JSON object; NULL for the usual.
ALTER TABLE users ADD COLUMN preferences TEXT;
