-- What is kept and not read yet stands in rows of its own, which go when it was read. The row of a message, with its
-- body, is not written anew for that, and who looks for what waits does not walk over all that is in somebody's hands.
create table unread_messages (
    raw_message_id uuid primary key,
    source text not null,
    account_id uuid,
    asked boolean not null,
    short boolean not null,
    received_at timestamptz not null,
    tries bigint not null default 0,
    lease_until timestamptz
);

-- The lease, which is none, stands in it so that no other index serves its order.
create index unread_messages_waiting on unread_messages (source, lease_until, raw_message_id)
    where lease_until is null;
create index unread_messages_leased on unread_messages (lease_until) where lease_until is not null;

insert into unread_messages
select id, source, account_id, watch_id is not null, watch_id is null and body_bytes <= 16384, received_at, tries, lease_until
from raw_messages where parsed_at is null and quarantined_at is null;

drop index raw_messages_unparsed;
alter table raw_messages drop column parsed_at, drop column tries, drop column lease_until;
