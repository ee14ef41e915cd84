-- What lists are filtered and sorted by, beside the rendered documents. A filter is answered from the index of
-- facets alone: rows with their documents are read only for the page that is shown.

alter table containers add column scac text not null default '';
alter table containers add column pol text;
alter table containers add column pod text;
-- None is the last day there is, so that an index has one order on both engines.
alter table containers add column pickup_lfd timestamptz not null default '9999-12-30T00:00:00.000000Z';
alter table containers add column available boolean;
alter table containers add column height text;
alter table shipments add column pol text;
alter table shipments add column pod text;
alter table shipments add column pod_eta timestamptz;
alter table shipments add column pod_ata timestamptz;

create index containers_by_facets on containers (account_id, created_at desc, id desc, updated_at,
    pickup_lfd, status, scac, pol, pod, available, height, customer_id, shipment_id, number);
create index containers_by_change on containers (account_id, updated_at desc, id desc);
create index containers_by_lfd on containers (account_id, pickup_lfd, id);
create index containers_by_customer on containers (account_id, customer_id)
    where customer_id is not null;

create index shipments_by_facets on shipments (account_id, created_at desc, id desc, updated_at,
    scac, pol, pod, pod_eta, pod_ata, stopped_at, customer_id, number);
create index shipments_by_change on shipments (account_id, updated_at desc, id desc);
create index shipments_stopped on shipments (account_id, id) where stopped_at is not null;

create index tracking_requests_by_facets on tracking_requests (account_id, created_at desc, id desc,
    updated_at, status, scac, kind, customer_id, shipment_id, number);
create index tracking_requests_by_change on tracking_requests (account_id, updated_at desc, id desc);
create index tracking_requests_by_number on tracking_requests
    (account_id, number, created_at desc, id desc);

drop index shipments_by_number;
create index shipments_by_number on shipments (account_id, number, created_at desc, id desc);

-- Lengths of lists, in shards: each writing thread has rows of its own.
create table tallies (
    account_id uuid not null references accounts (id) on delete cascade,
    list text not null,
    shard bigint not null,
    rows bigint not null,
    primary key (account_id, list, shard)
);

-- Numbers and references by their endings, so that any part is found. `sought` holds the texts a row is found by,
-- `sought_before` those it was found by until its last change.
create table terms (
    account_id uuid not null references accounts (id) on delete cascade,
    term text collate "C" not null,
    kind bigint not null,
    row_id uuid not null,
    primary key (account_id, term, kind, row_id)
);

alter table shipments add column sought text not null default '';
alter table shipments add column sought_before text not null default '';
alter table containers add column sought text not null default '';
alter table containers add column sought_before text not null default '';
alter table tracking_requests add column sought text not null default '';
alter table tracking_requests add column sought_before text not null default '';

insert into tallies select account_id, 'shipments', 0, count(*) from shipments group by account_id;
insert into tallies select account_id, 'containers', 0, count(*) from containers group by account_id;
insert into tallies
    select account_id, 'tracking_requests', 0, count(*) from tracking_requests group by account_id;

update containers set scac = (
    select s.scac from shipments s where s.account_id = containers.account_id and s.id = shipment_id
);
