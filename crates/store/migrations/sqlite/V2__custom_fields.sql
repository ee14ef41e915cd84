-- What an account keeps on its own records. Values are JSON text; plain is the start of a value as text, for
-- looking values up.

create table custom_field_definitions (
    account_id blob not null references accounts (id) on delete cascade,
    id blob not null,
    entity_type text not null,
    api_slug text not null,
    display_name text not null,
    description text,
    data_type text not null,
    reference_type text,
    rules text not null,
    default_format text,
    default_value text not null,
    created_at text not null,
    updated_at text not null,
    primary key (account_id, id)
) strict;

create unique index custom_field_definitions_by_slug on custom_field_definitions
    (account_id, api_slug);

create table custom_field_options (
    account_id blob not null,
    id blob not null,
    definition_id blob not null,
    value text not null,
    label text not null,
    position integer,
    created_at text not null,
    updated_at text not null,
    primary key (account_id, id),
    foreign key (account_id, definition_id)
        references custom_field_definitions (account_id, id) on delete cascade
) strict;

create unique index custom_field_options_by_value on custom_field_options
    (account_id, definition_id, value);

create table custom_fields (
    account_id blob not null references accounts (id) on delete cascade,
    id blob not null,
    entity_type text not null,
    entity_id blob not null,
    definition_id blob not null,
    value text not null,
    plain text,
    created_at text not null,
    updated_at text not null,
    primary key (account_id, id),
    foreign key (account_id, definition_id) references custom_field_definitions (account_id, id)
) strict;

create unique index custom_fields_of_entity on custom_fields
    (account_id, entity_id, definition_id);
create index custom_fields_listed on custom_fields (account_id, created_at desc, id desc);
create index custom_fields_of_definition on custom_fields
    (account_id, definition_id, created_at desc, id desc);
create index custom_fields_of_kind on custom_fields
    (account_id, entity_type, created_at desc, id desc);
create index custom_fields_by_plain on custom_fields (account_id, definition_id, plain)
    where plain is not null;

-- How many values each account keeps.
create table custom_field_counts (
    account_id blob primary key not null references accounts (id) on delete cascade,
    fields integer not null
) strict;

-- Values that wait for the shipment of a tracking request, or for its containers.
create table staged_custom_fields (
    account_id blob not null,
    tracking_request_id blob not null,
    position integer not null,
    definition_id blob not null,
    entity_type text not null,
    container_number text,
    value text not null,
    primary key (account_id, tracking_request_id, position),
    foreign key (account_id, tracking_request_id)
        references tracking_requests (account_id, id) on delete cascade,
    foreign key (account_id, definition_id)
        references custom_field_definitions (account_id, id) on delete cascade
) strict, without rowid;

create index staged_custom_fields_of_definition on staged_custom_fields (account_id, definition_id);
