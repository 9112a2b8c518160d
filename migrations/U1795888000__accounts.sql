-- What the browser that began a session calls itself and its system, as the profile names them.
ALTER TABLE sessions ADD COLUMN browser TEXT;
ALTER TABLE sessions ADD COLUMN system TEXT;

-- To whom an invitation was mailed; none for a link that its owner hands over.
ALTER TABLE invitations ADD COLUMN email TEXT;

-- Where the last server listened, and the file of its certificate: the health check asks there.
ALTER TABLE service_address ADD COLUMN listen TEXT;
ALTER TABLE service_address ADD COLUMN certificate TEXT;
