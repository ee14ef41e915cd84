-- What documents of a type hold, as the operator loaded it: shared by all accounts, never changed in content.

create table document_schemas (
    document_type text not null,
    version text not null,
    label text not null,
    description text,
    payload text not null,
    is_current integer not null,
    is_draft integer not null,
    active_at text,
    created_at text not null,
    updated_at text not null,
    primary key (document_type, version)
) strict, without rowid;

create unique index document_schemas_current on document_schemas (document_type) where is_current;
