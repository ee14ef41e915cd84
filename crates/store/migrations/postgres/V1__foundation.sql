-- Lists of words and states are JSON text; rendered documents are text, since jsonb would change their bytes.

create table accounts (
    id uuid primary key not null,
    name text not null unique,
    plan text not null,
    features text not null,
    created_at timestamptz not null
);

create table api_keys (
    account_id uuid not null references accounts (id) on delete cascade,
    id uuid not null unique,
    name text not null,
    digest bytea not null unique,
    last_four text not null,
    may_show boolean not null,
    may_update boolean not null,
    created_at timestamptz not null,
    last_used_at timestamptz,
    primary key (account_id, id)
);

-- Shared by all accounts: what is asked of sources, and what they said.

create table watches (
    id uuid primary key not null,
    source text not null,
    kind text not null,
    number text not null,
    created_at timestamptz not null,
    next_poll_at timestamptz,
    failures bigint not null,
    last_attempted_at timestamptz,
    last_succeeded_at timestamptz,
    last_changed_at timestamptz,
    claim_token bigint not null,
    lease_owner uuid,
    lease_until timestamptz,
    report_count bigint not null default 0,
    unique (source, kind, number)
);

create index watches_due on watches (next_poll_at, source, number) where next_poll_at is not null;
create index watches_leased on watches (lease_until) where lease_until is not null;

create table raw_messages (
    id uuid primary key not null,
    source text not null,
    watch_id uuid references watches (id),
    account_id uuid references accounts (id),
    question text not null,
    content_type text not null,
    received_at timestamptz not null,
    last_seen_at timestamptz not null,
    digest bytea not null,
    parsed_at timestamptz,
    quarantined_at timestamptz,
    quarantine_reason text,
    body bytea not null
);

create index raw_messages_answers on raw_messages (source, question, received_at desc, id desc)
    where question <> '';
create index raw_messages_pushed on raw_messages (source, digest) where question = '';
create index raw_messages_unparsed on raw_messages (id)
    where parsed_at is null and quarantined_at is null;

create table defects (
    raw_message_id uuid not null references raw_messages (id) on delete cascade,
    position bigint not null,
    place text not null,
    reason text not null,
    primary key (raw_message_id, position)
);

create table reports (
    watch_id uuid not null references watches (id),
    position bigint not null,
    id uuid not null,
    raw_message_id uuid not null references raw_messages (id),
    key bytea not null,
    content bytea not null,
    created_at timestamptz not null,
    last_seen_at timestamptz not null,
    body text not null,
    primary key (watch_id, position)
);

create unique index reports_readings on reports (watch_id, key, content);

-- Tenants' tables: every key begins with the account.

create table shipments (
    account_id uuid not null references accounts (id) on delete cascade,
    id uuid not null,
    number text not null,
    normalized_number text not null,
    scac text not null,
    kind text not null,
    ref_numbers text not null,
    tags text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version bigint not null,
    line_attempted_at timestamptz,
    line_succeeded_at timestamptz,
    stopped_at timestamptz,
    stopped_reason text,
    state text not null,
    customer_id uuid,
    custom_field_ids text not null,
    document text not null,
    primary key (account_id, id)
);

create index shipments_listed on shipments (account_id, created_at desc, id desc);
create index shipments_by_number on shipments (account_id, number);
create index shipments_by_normalized_number on shipments (account_id, normalized_number);

create table tracking_requests (
    account_id uuid not null references accounts (id) on delete cascade,
    id uuid not null,
    number text not null,
    scac text,
    auto_detect boolean not null,
    kind text not null,
    status text not null,
    failed_reason text,
    is_retrying boolean not null,
    retry_count bigint not null,
    watch_id uuid references watches (id),
    shipment_id uuid,
    ref_numbers text not null,
    tags text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version bigint not null,
    customer_id uuid,
    custom_field_ids text not null,
    document text not null,
    primary key (account_id, id),
    foreign key (account_id, shipment_id) references shipments (account_id, id)
);

create unique index tracking_requests_open on tracking_requests
    (account_id, number, coalesce(scac, ''))
    where status in ('pending', 'awaiting_manifest', 'succeeded');
create index tracking_requests_listed on tracking_requests (account_id, created_at desc, id desc);
create index tracking_requests_by_watch on tracking_requests (watch_id);
create index tracking_requests_by_shipment on tracking_requests (account_id, shipment_id);
create index tracking_requests_waiting on tracking_requests (created_at)
    where status in ('pending', 'awaiting_manifest');

create table shipment_watches (
    account_id uuid not null,
    shipment_id uuid not null,
    watch_id uuid not null references watches (id),
    primary key (account_id, shipment_id, watch_id),
    foreign key (account_id, shipment_id) references shipments (account_id, id) on delete cascade
);

create index shipment_watches_by_watch on shipment_watches (watch_id, account_id, shipment_id);

create table containers (
    account_id uuid not null,
    id uuid not null,
    shipment_id uuid not null,
    number text not null,
    status text not null,
    ref_numbers text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    version bigint not null,
    next_due_at timestamptz,
    state text not null,
    customer_id uuid,
    custom_field_ids text not null,
    document text not null,
    primary key (account_id, id),
    foreign key (account_id, shipment_id) references shipments (account_id, id) on delete cascade
);

-- Documents as they are served: what is compressed is unpacked again for every answer that lists it.
alter table containers set (toast_tuple_target = 8160);

create unique index containers_of_shipment on containers (account_id, shipment_id, number);
create index containers_listed on containers (account_id, created_at desc, id desc);
create index containers_by_number on containers (account_id, number, created_at desc, id desc);
create index containers_by_status on containers (account_id, status, created_at desc, id desc);
create index containers_due on containers (next_due_at) where next_due_at is not null;

create table events (
    account_id uuid not null references accounts (id) on delete cascade,
    id uuid not null,
    resource text not null,
    name text not null,
    container_id uuid,
    shipment_id uuid,
    slot text,
    created_at timestamptz not null,
    invalidated_at timestamptz,
    document text not null,
    primary key (account_id, id)
);

create index events_of_container on events (account_id, container_id, resource, created_at, id)
    where container_id is not null;
create index events_standing on events (account_id, container_id)
    where slot is not null and invalidated_at is null;

create table webhooks (
    account_id uuid not null references accounts (id) on delete cascade,
    id uuid not null unique,
    url text not null,
    active boolean not null,
    events text not null,
    secret bytea not null,
    headers bytea not null,
    disabled_reason text,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (account_id, id)
);

create table notifications (
    id uuid primary key not null,
    account_id uuid not null,
    webhook_id uuid not null,
    event text not null,
    reference_type text not null,
    reference_id uuid not null,
    container_id uuid,
    shipment_id uuid,
    tracking_request_id uuid,
    version bigint not null,
    created_at timestamptz not null,
    status text not null,
    foreign key (account_id, webhook_id) references webhooks (account_id, id) on delete cascade
);

create unique index notifications_once on notifications
    (webhook_id, reference_id, event, version);
create index notifications_listed on notifications (account_id, created_at desc, id desc);

-- Open deliveries only. due_at is when somebody should look at the row: null while it waits behind another
-- one of its webhook and order key, the end of the lease while it is claimed.
create table deliveries (
    notification_id uuid primary key not null references notifications (id) on delete cascade,
    account_id uuid not null,
    webhook_id uuid not null,
    order_key uuid not null,
    sequence bigint not null,
    due_at timestamptz,
    attempts bigint not null,
    refusals bigint not null,
    claim_token bigint not null,
    lease_owner uuid
);

create unique index deliveries_in_order on deliveries
    (webhook_id, order_key, sequence, notification_id);
create index deliveries_due on deliveries (webhook_id, due_at) where due_at is not null;

-- Rendered once, before the first attempt; every attempt sends these bytes.
create table bodies (
    notification_id uuid primary key not null references notifications (id) on delete cascade,
    body text not null
);

-- Written once, read once or twice: compressing them costs a third of the processor time of a delivery.
alter table bodies alter column body set storage external;

create table attempts (
    notification_id uuid not null references notifications (id) on delete cascade,
    number bigint not null,
    started_at timestamptz not null,
    duration_ms bigint not null,
    status bigint,
    reason text,
    response_headers text not null,
    response_body text not null,
    primary key (notification_id, number)
);

-- Vessels as reports name them, for deliveries and links.

create table vessels (
    id uuid primary key not null,
    imo text,
    name text,
    document text not null
);
