-- Write the changes of the result to files.
CREATE TABLE changes (country STRING, orders BIGINT, amount BIGINT) WITH (
  'connector' = 'filesystem',
  'path' = 'out',
  'format' = 'debezium-json'
);

INSERT INTO changes SELECT * FROM sales_by_country;
