-- Messages that came by themselves are looked for by their digests, many at a time. A digest alone nearly always finds
-- its message; with the source in front, a planner that takes the table for small goes through all of a source's.
drop index raw_messages_pushed;
create index raw_messages_by_digest on raw_messages (digest, source) where question = '';
