-- A hold that ended unused keeps its row for a day, so that it is counted; what it kept is looked for by its end.
CREATE INDEX hold_takes_by_end ON hold_takes (expires_at);

-- Those that wait for room, in the order in which they move up, each with the pseudonym of its network.
DROP INDEX entries_waiting;
CREATE INDEX entries_waiting ON entries (id, results ->> '$.waits_from') WHERE results ->> '$.is_waiting' = 1;
