-- Requests whose line is to be found from the number.

create index tracking_requests_undetected on tracking_requests (created_at, id)
    where status = 'pending' and scac is null;
