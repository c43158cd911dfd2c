-- IN with a correlated further predicate
CREATE TABLE o (id INT, cust INT, amt INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/o.json',
  'format' = 'json'
);

CREATE TABLE c (cid INT, lim INT, PRIMARY KEY (cid) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/c.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (id INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT id FROM o WHERE cust IN (SELECT cid FROM c WHERE c.lim > o.amt);
