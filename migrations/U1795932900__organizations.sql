-- How the pages of an organisation's forms say whose they are. A name shows once somebody has set it on purpose: that of
-- an organisation which came with its first user was made up from theirs.
ALTER TABLE organizations ADD COLUMN is_name_shown INTEGER NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD COLUMN logo TEXT REFERENCES images (token);
-- As #RRGGBB.
ALTER TABLE organizations ADD COLUMN color TEXT;
ALTER TABLE organizations ADD COLUMN show_powered_by INTEGER NOT NULL DEFAULT 1;
-- Counts the changes of these, for ETags.
ALTER TABLE organizations ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
CREATE INDEX organizations_by_logo ON organizations (logo) WHERE logo IS NOT NULL;

CREATE TRIGGER organizations_change AFTER UPDATE OF logo ON organizations WHEN OLD.logo IS NOT NEW.logo BEGIN
    UPDATE images SET uses = uses + 1, idle_since = NULL WHERE token = NEW.logo;
    UPDATE images SET uses = uses - 1 WHERE token = OLD.logo;
END;
