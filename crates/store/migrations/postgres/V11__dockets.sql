-- What is said about a number by whoever was not asked, and how messages that came by themselves are worked off.
-- A docket is a watch that is never asked; its source begins with a slash, which no profile's id does.

alter table tracking_requests add column docket_id uuid references watches (id);
create index tracking_requests_by_docket on tracking_requests (docket_id) where docket_id is not null;

alter table raw_messages add column tries bigint not null default 0;
alter table raw_messages add column lease_until timestamptz;

-- Codes that are in no table, by source. Each report that was new counts once.
create table unmapped_codes (
    source text not null,
    code text not null,
    reports bigint not null,
    first_at timestamptz not null,
    last_at timestamptz not null,
    raw_message_id uuid not null references raw_messages (id),
    primary key (source, code)
);
