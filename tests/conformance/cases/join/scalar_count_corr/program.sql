-- correlated COUNT in SELECT: zero for none
CREATE TABLE o (id INT, cust INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/o.json',
  'format' = 'json'
);

CREATE TABLE p (cust INT, amt INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/p.json',
  'format' = 'json'
);

CREATE TABLE sink_out (id INT, n BIGINT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT id, (SELECT COUNT(*) FROM p WHERE p.cust = o.cust) FROM o;
