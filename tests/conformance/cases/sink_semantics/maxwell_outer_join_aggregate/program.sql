-- Two Maxwell tables, full outer join, aggregate above it
CREATE TABLE a (id INT, customer STRING, amount INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/a.json',
  'format' = 'maxwell-json'
);

CREATE TABLE b (id INT, customer STRING, amount INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/b.json',
  'format' = 'maxwell-json'
);

CREATE TABLE sink_out (customer STRING, n BIGINT, lo INT, hi INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT COALESCE(a.customer, b.customer), COUNT(*), MIN(a.amount), MAX(b.amount) FROM a FULL JOIN b ON a.id = b.id GROUP BY COALESCE(a.customer, b.customer);
