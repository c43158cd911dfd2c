-- Windows that grow, as a table.
CREATE TABLE sessions (shop STRING, starts TIMESTAMP(3), ends TIMESTAMP(3), n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/sessions', 'format' = 'json');
INSERT INTO sessions SELECT shop, window_start, window_end, COUNT(*) FROM TABLE(SESSION(TABLE orders PARTITION BY shop, DESCRIPTOR(sold), INTERVAL '30' SECOND)) GROUP BY shop, window_start, window_end;
