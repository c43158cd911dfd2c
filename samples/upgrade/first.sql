-- Sales by country: orders joined with their customers.
CREATE TABLE orders (order_id INT, customer INT, item STRING, amount INT) WITH (
  'connector' = 'filesystem',
  'path' = 'data/upgrade/orders',
  'format' = 'json'
);

CREATE TABLE customers (customer INT, country STRING) WITH (
  'connector' = 'filesystem',
  'path' = 'data/upgrade/customers',
  'format' = 'json'
);

CREATE TABLE sales_by_country (
  country STRING,
  orders BIGINT,
  amount BIGINT,
  PRIMARY KEY (country) NOT ENFORCED
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/upgrade/sales_by_country',
  'format' = 'debezium-json'
);

INSERT INTO sales_by_country
SELECT c.country, COUNT(*), SUM(CAST(o.amount AS BIGINT))
FROM orders AS o JOIN customers AS c ON o.customer = c.customer
GROUP BY c.country;
