-- Only events of one table and database are read
CREATE TABLE a (id INT, customer STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/a.json',
  'format' = 'canal-json', 
  'canal-json.table.include' = 'orders_\d+',
  'canal-json.database.include' = 'shop'
);

CREATE TABLE sink_out (id INT, customer STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

INSERT INTO sink_out SELECT * FROM a;
