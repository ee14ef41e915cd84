-- Ids are 16 bytes; times are UTC text of 27 characters; lists of words and states are JSON text.

create table accounts (
    id blob primary key not null,
    name text not null unique,
    plan text not null,
    features text not null,
    created_at text not null
) strict;

create table api_keys (
    account_id blob not null references accounts (id) on delete cascade,
    id blob not null unique,
    name text not null,
    digest blob not null unique,
    last_four text not null,
    may_show integer not null,
    may_update integer not null,
    created_at text not null,
    last_used_at text,
    primary key (account_id, id)
) strict;

-- Shared by all accounts: what is asked of sources, and what they said.

create table watches (
    id blob primary key not null,
    source text not null,
    kind text not null,
    number text not null,
    created_at text not null,
    next_poll_at text,
    failures integer not null,
    last_attempted_at text,
    last_succeeded_at text,
    last_changed_at text,
    claim_token integer not null,
    lease_owner blob,
    lease_until text,
    report_count integer not null default 0,
    unique (source, kind, number)
) strict;

create index watches_due on watches (next_poll_at, source, number) where next_poll_at is not null;
create index watches_leased on watches (lease_until) where lease_until is not null;

create table raw_messages (
    id blob primary key not null,
    source text not null,
    watch_id blob references watches (id),
    account_id blob references accounts (id),
    question text not null,
    content_type text not null,
    received_at text not null,
    last_seen_at text not null,
    digest blob not null,
    parsed_at text,
    quarantined_at text,
    quarantine_reason text,
    body blob not null
) strict;

create index raw_messages_answers on raw_messages (source, question, received_at desc, id desc)
    where question <> '';
create index raw_messages_pushed on raw_messages (source, digest) where question = '';
create index raw_messages_unparsed on raw_messages (id)
    where parsed_at is null and quarantined_at is null;

create table defects (
    raw_message_id blob not null references raw_messages (id) on delete cascade,
    position integer not null,
    place text not null,
    reason text not null,
    primary key (raw_message_id, position)
) strict, without rowid;

create table reports (
    watch_id blob not null references watches (id),
    position integer not null,
    id blob not null,
    raw_message_id blob not null references raw_messages (id),
    key blob not null,
    content blob not null,
    created_at text not null,
    last_seen_at text not null,
    body text not null,
    primary key (watch_id, position)
) strict;

create unique index reports_readings on reports (watch_id, key, content);

-- Tenants' tables: every key begins with the account.

create table shipments (
    account_id blob not null references accounts (id) on delete cascade,
    id blob not null,
    number text not null,
    normalized_number text not null,
    scac text not null,
    kind text not null,
    ref_numbers text not null,
    tags text not null,
    created_at text not null,
    updated_at text not null,
    version integer not null,
    line_attempted_at text,
    line_succeeded_at text,
    stopped_at text,
    stopped_reason text,
    state text not null,
    customer_id blob,
    custom_field_ids text not null,
    document text not null,
    primary key (account_id, id)
) strict;

create index shipments_listed on shipments (account_id, created_at desc, id desc);
create index shipments_by_number on shipments (account_id, number);
create index shipments_by_normalized_number on shipments (account_id, normalized_number);

create table tracking_requests (
    account_id blob not null references accounts (id) on delete cascade,
    id blob not null,
    number text not null,
    scac text,
    auto_detect integer not null,
    kind text not null,
    status text not null,
    failed_reason text,
    is_retrying integer not null,
    retry_count integer not null,
    watch_id blob references watches (id),
    shipment_id blob,
    ref_numbers text not null,
    tags text not null,
    created_at text not null,
    updated_at text not null,
    version integer not null,
    customer_id blob,
    custom_field_ids text not null,
    document text not null,
    primary key (account_id, id),
    foreign key (account_id, shipment_id) references shipments (account_id, id)
) strict;

create unique index tracking_requests_open on tracking_requests
    (account_id, number, coalesce(scac, ''))
    where status in ('pending', 'awaiting_manifest', 'succeeded');
create index tracking_requests_listed on tracking_requests (account_id, created_at desc, id desc);
create index tracking_requests_by_watch on tracking_requests (watch_id);
create index tracking_requests_by_shipment on tracking_requests (account_id, shipment_id);
create index tracking_requests_waiting on tracking_requests (created_at)
    where status in ('pending', 'awaiting_manifest');

create table shipment_watches (
    account_id blob not null,
    shipment_id blob not null,
    watch_id blob not null references watches (id),
    primary key (account_id, shipment_id, watch_id),
    foreign key (account_id, shipment_id) references shipments (account_id, id) on delete cascade
) strict, without rowid;

create index shipment_watches_by_watch on shipment_watches (watch_id, account_id, shipment_id);

create table containers (
    account_id blob not null,
    id blob not null,
    shipment_id blob not null,
    number text not null,
    status text not null,
    ref_numbers text not null,
    created_at text not null,
    updated_at text not null,
    version integer not null,
    next_due_at text,
    state text not null,
    customer_id blob,
    custom_field_ids text not null,
    document text not null,
    primary key (account_id, id),
    foreign key (account_id, shipment_id) references shipments (account_id, id) on delete cascade
) strict;

create unique index containers_of_shipment on containers (account_id, shipment_id, number);
create index containers_listed on containers (account_id, created_at desc, id desc);
create index containers_by_number on containers (account_id, number, created_at desc, id desc);
create index containers_by_status on containers (account_id, status, created_at desc, id desc);
create index containers_due on containers (next_due_at) where next_due_at is not null;

create table events (
    account_id blob not null references accounts (id) on delete cascade,
    id blob not null,
    resource text not null,
    name text not null,
    container_id blob,
    shipment_id blob,
    slot text,
    created_at text not null,
    invalidated_at text,
    document text not null,
    primary key (account_id, id)
) strict;

create index events_of_container on events (account_id, container_id, resource, created_at, id)
    where container_id is not null;
create index events_standing on events (account_id, container_id)
    where slot is not null and invalidated_at is null;

create table webhooks (
    account_id blob not null references accounts (id) on delete cascade,
    id blob not null unique,
    url text not null,
    active integer not null,
    events text not null,
    secret blob not null,
    headers blob not null,
    disabled_reason text,
    created_at text not null,
    updated_at text not null,
    primary key (account_id, id)
) strict;

create table notifications (
    id blob primary key not null,
    account_id blob not null,
    webhook_id blob not null,
    event text not null,
    reference_type text not null,
    reference_id blob not null,
    container_id blob,
    shipment_id blob,
    tracking_request_id blob,
    version integer not null,
    created_at text not null,
    status text not null,
    foreign key (account_id, webhook_id) references webhooks (account_id, id) on delete cascade
) strict, without rowid;

create unique index notifications_once on notifications
    (webhook_id, reference_id, event, version);
create index notifications_listed on notifications (account_id, created_at desc, id desc);

-- Open deliveries only. due_at is when somebody should look at the row: null while it waits behind another
-- one of its webhook and order key, the end of the lease while it is claimed.
create table deliveries (
    notification_id blob primary key not null references notifications (id) on delete cascade,
    account_id blob not null,
    webhook_id blob not null,
    order_key blob not null,
    sequence integer not null,
    due_at text,
    attempts integer not null,
    refusals integer not null,
    claim_token integer not null,
    lease_owner blob
) strict, without rowid;

create unique index deliveries_in_order on deliveries
    (webhook_id, order_key, sequence, notification_id);
create index deliveries_due on deliveries (webhook_id, due_at) where due_at is not null;

-- Rendered once, before the first attempt; every attempt sends these bytes.
create table bodies (
    notification_id blob primary key not null references notifications (id) on delete cascade,
    body text not null
) strict;

create table attempts (
    notification_id blob not null references notifications (id) on delete cascade,
    number integer not null,
    started_at text not null,
    duration_ms integer not null,
    status integer,
    reason text,
    response_headers text not null,
    response_body text not null,
    primary key (notification_id, number)
) strict, without rowid;

-- Vessels as reports name them, for deliveries and links.

create table vessels (
    id blob primary key not null,
    imo text,
    name text,
    document text not null
) strict;
