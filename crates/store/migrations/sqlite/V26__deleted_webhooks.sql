-- When a webhook was deleted. From then on it is there for nobody; its row goes when its history is gone.
alter table webhooks add column deleted_at text;

create index webhooks_deleted on webhooks (id) where deleted_at is not null;
