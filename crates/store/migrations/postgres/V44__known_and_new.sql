-- Numbers that were answered before and those that never were have turns at what a source may be asked. Whoever looks for one kind
-- must not walk over the other, of which thousands may be due.
create index watches_due_known on watches (source, next_poll_at, number)
    where next_poll_at is not null and last_succeeded_at is not null;
create index watches_due_new on watches (source, next_poll_at, number)
    where next_poll_at is not null and last_succeeded_at is null;
