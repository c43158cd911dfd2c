-- Entries that a TTL keeps over all releases, and entries that are forgotten before the next row comes.
CREATE TABLE sent_orders (id INT, carrier STRING)
WITH ('connector' = 'filesystem', 'path' = '${folder}/sent_orders', 'format' = 'debezium-json');
CREATE TABLE totals (shop STRING, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/totals', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO sent_orders SELECT /*+ STATE_TTL('o' = '36500 d', 's' = '1 ms') */ o.id, s.carrier
  FROM orders AS o JOIN shipments AS s ON o.id = s.order_id;
INSERT INTO totals SELECT /*+ STATE_TTL('orders' = '36500 d') */ shop, COUNT(*) FROM orders GROUP BY shop;
END;
