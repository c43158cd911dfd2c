CREATE TABLE orders (
  id INT, shop STRING, town STRING, price INT, pieces BIGINT, weight DOUBLE, paid DECIMAL(10, 2), tags ARRAY<STRING>,
  sold TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR sold AS sold - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${folder}/orders', 'format' = 'json');
CREATE TABLE shipments (
  order_id INT, carrier STRING, sent TIMESTAMP(3), p AS PROCTIME(), WATERMARK FOR sent AS sent - INTERVAL '5' SECOND
) WITH ('connector' = 'filesystem', 'path' = '${folder}/shipments', 'format' = 'json');
CREATE TABLE accounts (id INT, town STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '${folder}/accounts', 'format' = 'debezium-json');
CREATE TABLE rates (
  town STRING, rate INT, since TIMESTAMP(3), WATERMARK FOR since AS since, PRIMARY KEY (town) NOT ENFORCED
) WITH ('connector' = 'filesystem', 'path' = '${folder}/rates', 'format' = 'debezium-json');
-- Deduplication, ranks of each kind, changelogs that repeat events, and what a sink with a key of its own keeps.
SET 'table.exec.source.cdc-events-duplicate' = 'true';
SET 'table.exec.sink.upsert-materialize' = 'FORCE';
CREATE TABLE first_seen (shop STRING, id INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/first_seen', 'format' = 'debezium-json');
CREATE TABLE first_sold (shop STRING, id INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/first_sold', 'format' = 'debezium-json');
CREATE TABLE last_sold (shop STRING, id INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/last_sold', 'format' = 'debezium-json');
CREATE TABLE dearest (shop STRING, id INT, price INT, r BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/dearest', 'format' = 'debezium-json');
CREATE TABLE richest (town STRING, id INT, amount INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/richest', 'format' = 'debezium-json');
CREATE TABLE busiest (shop STRING, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/busiest', 'format' = 'debezium-json');
CREATE TABLE as_many (shop STRING, id INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/as_many', 'format' = 'debezium-json');
CREATE TABLE cheapest (id INT, price INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/cheapest', 'format' = 'debezium-json');
CREATE TABLE some_rows (n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/some_rows', 'format' = 'debezium-json');
CREATE TABLE by_town (town STRING, amount INT, PRIMARY KEY (town) NOT ENFORCED)
WITH ('connector' = 'filesystem', 'path' = '${folder}/by_town', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO first_seen SELECT shop, id FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY p) AS r FROM orders) WHERE r = 1;
INSERT INTO first_sold SELECT shop, id FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY sold) AS r FROM orders) WHERE r = 1;
INSERT INTO last_sold SELECT shop, id FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY sold DESC) AS r FROM orders) WHERE r = 1;
INSERT INTO dearest SELECT shop, id, price, r FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price DESC) AS r FROM orders) WHERE r <= 2;
INSERT INTO richest SELECT town, id, amount FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY town ORDER BY amount DESC) AS r FROM accounts) WHERE r <= 1;
INSERT INTO busiest SELECT shop, n FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY n DESC, shop) AS r FROM (
  SELECT shop, COUNT(*) AS n FROM orders GROUP BY shop)) WHERE r <= 2;
INSERT INTO as_many SELECT shop, id FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY shop ORDER BY price) AS r FROM orders) WHERE r <= pieces;
INSERT INTO cheapest SELECT id, price FROM orders ORDER BY price, id LIMIT 3;
INSERT INTO some_rows SELECT COUNT(*) FROM (SELECT id FROM orders LIMIT 4);
INSERT INTO by_town SELECT town, amount FROM accounts WHERE amount > 0;
END;
