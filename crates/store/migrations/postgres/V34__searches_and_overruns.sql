-- Requests whose line is to be found are looked into longest untouched first, some at a time, each time behind the last.

drop index tracking_requests_undetected;

create index tracking_requests_undetected on tracking_requests (updated_at, id)
    where status = 'pending' and scac is null;

-- How many of the tries to read a message the store ended: they took it too long, or others were in their way.

alter table unread_messages add column overruns bigint not null default 0;
