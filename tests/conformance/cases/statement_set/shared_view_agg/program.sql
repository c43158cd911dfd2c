-- an aggregate view feeds an upsert sink, a top-n and a retract sink
CREATE TABLE s (g STRING, v INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);

CREATE TEMPORARY VIEW t AS SELECT g, SUM(v) AS s, COUNT(*) AS n FROM s GROUP BY g;
CREATE TABLE o1 (g STRING, s INT, PRIMARY KEY (g) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/o1',
  'format' = 'debezium-json'
);

CREATE TABLE o2 (g STRING, s INT, rn BIGINT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/o2',
  'format' = 'debezium-json'
);

CREATE TABLE o3 (n BIGINT, c BIGINT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/o3',
  'format' = 'debezium-json'
);

EXECUTE STATEMENT SET BEGIN
INSERT INTO o1 SELECT g, s FROM t;
INSERT INTO o2 SELECT g, s, rn FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY s DESC) rn FROM t) WHERE rn <= 2;
INSERT INTO o3 SELECT n, COUNT(*) FROM t GROUP BY n;
END;
