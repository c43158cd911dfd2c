-- Time travel: the sales of each country in a version of the table beside those of now.
CREATE TABLE sales_then (country STRING, orders BIGINT, amount BIGINT) WITH (
  'connector' = 'delta',
  'path' = 'lake/sales',
  'scan.mode' = 'batch',
  'versionAsOf' = '1'
);

CREATE TABLE sales_now (country STRING, orders BIGINT, amount BIGINT, average DECIMAL(10, 2)) WITH (
  'connector' = 'delta',
  'path' = 'lake/sales',
  'scan.mode' = 'batch'
);

CREATE TABLE growth (
  country STRING,
  orders_then BIGINT,
  orders_now BIGINT,
  amount_then BIGINT,
  amount_now BIGINT,
  average DECIMAL(10, 2)
) WITH ('connector' = 'print');

INSERT INTO growth
SELECT n.country, t.orders, n.orders, t.amount, n.amount, n.average
FROM sales_now AS n JOIN sales_then AS t ON n.country = t.country;
