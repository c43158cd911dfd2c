-- TTLs of a join and of an aggregate by hints.
CREATE TABLE sent_orders (id INT, price INT, carrier STRING)
WITH ('connector' = 'filesystem', 'path' = '${folder}/sent_orders', 'format' = 'debezium-json');
CREATE TABLE totals (shop STRING, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/totals', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO sent_orders SELECT /*+ STATE_TTL('o' = '2 d', 's' = '6 h') */ o.id, o.price, s.carrier FROM orders AS o JOIN shipments AS s ON o.id = s.order_id;
INSERT INTO totals SELECT /*+ STATE_TTL('orders' = '36500 d') */ shop, COUNT(*) FROM orders GROUP BY shop;
END;
