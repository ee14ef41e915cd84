-- What has failed is asked for among a million that have not.
create index notifications_failed on notifications (account_id, created_at desc, id desc)
    where status = 'failed';
