-- rows above the average of their group
CREATE TABLE o (id INT, cust INT, amt INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/o.json',
  'format' = 'debezium-json'
);

CREATE TABLE sink_out (id INT, amt INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT id, amt FROM o WHERE amt > (SELECT AVG(amt) FROM o o2 WHERE o2.cust = o.cust);
