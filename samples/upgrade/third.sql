-- A filter, a column and another aggregate: gifts are excluded, the largest order of a country is added, and countries
-- are aggregated from their items.
CREATE TABLE orders (order_id INT, customer INT, item STRING, amount BIGINT) WITH (
  'connector' = 'filesystem',
  'path' = 'data/upgrade/orders',
  'format' = 'json'
);

CREATE TABLE customers (customer INT, country STRING) WITH (
  'connector' = 'filesystem',
  'path' = 'data/upgrade/customers',
  'format' = 'json'
);

CREATE TABLE refunds (item STRING, amount BIGINT) WITH (
  'connector' = 'filesystem',
  'path' = 'data/upgrade/refunds',
  'format' = 'json'
);

CREATE TABLE sales_by_country (
  country STRING,
  orders BIGINT,
  amount BIGINT,
  dearest BIGINT,
  PRIMARY KEY (country) NOT ENFORCED
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/upgrade/sales_by_country',
  'format' = 'debezium-json'
);

CREATE TABLE refunds_by_item (item STRING, amount BIGINT, PRIMARY KEY (item) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = 'out/upgrade/refunds_by_item',
  'format' = 'debezium-json'
);

CREATE VIEW by_item AS
SELECT /*+ STATE_TTL('o' = '90 d', 'c' = '0 ms') */ c.country AS country, o.item AS item, COUNT(*) AS orders,
  SUM(o.amount) AS amount, MAX(o.amount) AS dearest
FROM orders AS o JOIN customers AS c ON o.customer = c.customer
WHERE o.item <> 'gift'
GROUP BY c.country, o.item;

EXECUTE STATEMENT SET BEGIN
INSERT INTO refunds_by_item SELECT item, SUM(amount) FROM refunds GROUP BY item;
INSERT INTO sales_by_country
SELECT country, SUM(orders), SUM(amount), MAX(dearest) FROM by_item GROUP BY country;
END;
