-- Normalised tables in EXISTS and NOT EXISTS
SET 'table.exec.source.cdc-events-duplicate' = 'true';

CREATE TABLE a (id INT, customer STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/a.json',
  'format' = 'canal-json'
);

CREATE TABLE b (id INT, customer STRING, amount INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/b.json',
  'format' = 'maxwell-json'
);

CREATE TABLE s1 (id INT, amount INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/s1',
  'format' = 'debezium-json'
);

CREATE TABLE s2 (id INT, amount INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/s2',
  'format' = 'debezium-json'
);

EXECUTE STATEMENT SET BEGIN
INSERT INTO s1 SELECT id, amount FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.customer = a.customer);
INSERT INTO s2 SELECT id, amount FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.customer = a.customer AND b.amount > a.amount);
END;
