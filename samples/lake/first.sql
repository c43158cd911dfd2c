-- Sales by country: orders of a topic, joined with the newest version of their customers, merged into a Delta table that
-- the first run creates. The topics are declared in samples/kafka/tables.sql.
CREATE TABLE sales (
  country STRING,
  orders BIGINT,
  amount BIGINT,
  PRIMARY KEY (country) NOT ENFORCED
) WITH (
  'connector' = 'delta',
  'path' = 'lake/sales',
  'sink.create-table' = 'true'
);

INSERT INTO sales
SELECT c.country, COUNT(*), SUM(CAST(o.amount AS BIGINT))
FROM orders AS o JOIN customers AS c ON o.customer = c.customer
GROUP BY c.country;
