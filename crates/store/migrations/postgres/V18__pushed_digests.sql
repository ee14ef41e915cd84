-- Messages that came by themselves are looked for by their digests, many at a time. A digest alone nearly always finds
-- its message; with the source in front, a planner that takes the table for small goes through all of a source's.
drop index raw_messages_pushed;
create index raw_messages_by_digest on raw_messages (digest, source) where question = '';

-- Whoever files a report holds its watch and its message. To have the engine look both up again for every row, and lock
-- them, is paid for by every push.
alter table reports drop constraint reports_watch_id_fkey;
alter table reports drop constraint reports_raw_message_id_fkey;
