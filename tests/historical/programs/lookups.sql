-- A table that is asked by key, of a database that `cases.database` makes.
CREATE TABLE carriers (name STRING, fee DECIMAL(10, 2)) WITH (
  'connector' = 'jdbc', 'url' = 'jdbc:derby:memory:historical', 'table-name' = 'carriers');
CREATE TABLE fees (order_id INT, fee DECIMAL(10, 2))
WITH ('connector' = 'filesystem', 'path' = '${folder}/fees', 'format' = 'json');
CREATE TABLE by_carrier (carrier STRING, n BIGINT)
WITH ('connector' = 'filesystem', 'path' = '${folder}/by_carrier', 'format' = 'debezium-json');
EXECUTE STATEMENT SET BEGIN
INSERT INTO fees SELECT s.order_id, c.fee FROM shipments AS s
  LEFT JOIN carriers FOR SYSTEM_TIME AS OF s.p AS c ON s.carrier = c.name;
INSERT INTO by_carrier SELECT carrier, COUNT(*) FROM shipments GROUP BY carrier;
END;
