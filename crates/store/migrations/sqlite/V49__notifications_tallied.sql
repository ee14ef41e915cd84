-- How many notifications each webhook has is kept, as the lengths of other lists are. Counted by an index of the webhook.
insert into tallies (account_id, list, shard, rows)
    select w.account_id, 'notifications:' || lower(hex(w.id)), 0,
        (select count(*) from notifications n where n.webhook_id = w.id)
    from webhooks w;
