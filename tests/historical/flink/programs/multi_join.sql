-- Several joins in one operator.
SET 'table.optimizer.multi-join.enabled' = 'true';
CREATE TABLE whole (id INT, carrier STRING, amount INT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/whole', 'format' = 'debezium-json');
INSERT INTO whole SELECT o.id, s.carrier, a.amount FROM orders AS o LEFT JOIN shipments AS s ON o.id = s.order_id LEFT JOIN accounts AS a ON o.id = a.id;
