-- Documents, states, readings and bodies are packed from now on. What is there stays as it was written: a text is its own
-- packing. Only its column is another one, which holds bytes. What is packed is not to be packed once
-- more, and a column that changes its type forgets how it is stored.
alter table containers
    alter column state type bytea using convert_to(state, 'UTF8'),
    alter column document type bytea using convert_to(document, 'UTF8');
alter table containers
    alter column state set storage external,
    alter column document set storage external;

alter table shipments alter column document type bytea using convert_to(document, 'UTF8');
alter table shipments alter column document set storage external;

alter table events alter column document type bytea using convert_to(document, 'UTF8');
alter table events alter column document set storage external;

alter table reports alter column body type bytea using convert_to(body, 'UTF8');
alter table reports alter column body set storage external;

alter table bodies alter column body type bytea using convert_to(body, 'UTF8');
alter table bodies alter column body set storage external;
