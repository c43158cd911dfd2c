-- Changes to rows and back; the table of upserts gets the rows that its updates replace
SET 'table.exec.source.cdc-events-duplicate' = 'true';

CREATE TABLE orders (id INT PRIMARY KEY NOT ENFORCED, status STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/orders.json',
  'format' = 'debezium-json'
);

CREATE TABLE copied (id INT, status STRING) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/copied',
  'format' = 'debezium-json'
);

INSERT INTO copied SELECT * FROM FROM_CHANGELOG((SELECT * FROM TO_CHANGELOG(TABLE orders, DEFAULT, DEFAULT)));
