-- The deliveries of a webhook that failed are few among those of a month.
CREATE INDEX outbox_failed ON outbox (webhook_id, id) WHERE status = 'failed' AND webhook_id IS NOT NULL;
