-- Numbers that were never answered stand in lines by who asked for them, so that one account's import is in the way of its own
-- new numbers only. Nobody in particular is sixteen zeros: a line like the others.
alter table watches add column asked_by uuid not null default '00000000-0000-0000-0000-000000000000';
update watches set asked_by = coalesce((
    select account_id from tracking_requests where watch_id = watches.id order by created_at desc limit 1
), asked_by)
where next_poll_at is not null and last_succeeded_at is null;
drop index watches_due_new;
create index watches_due_new on watches (source, asked_by, next_poll_at, number)
    where next_poll_at is not null and last_succeeded_at is null;
