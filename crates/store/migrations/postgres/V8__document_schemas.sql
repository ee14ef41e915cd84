-- What documents of a type hold, as the operator loaded it: shared by all accounts, never changed in content.

create table document_schemas (
    document_type text not null,
    version text not null,
    label text not null,
    description text,
    payload text not null,
    is_current boolean not null,
    is_draft boolean not null,
    active_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    primary key (document_type, version)
);

create unique index document_schemas_current on document_schemas (document_type) where is_current;
