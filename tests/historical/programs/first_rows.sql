-- The first row of each key, which Spark's own deduplication can hold, too.
SET 'table.exec.state.ttl' = '36500 d';
CREATE TABLE first_seen (shop STRING, id INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/first_seen', 'format' = 'json');
INSERT INTO first_seen SELECT shop, id FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY p) AS r FROM orders) WHERE r = 1;
