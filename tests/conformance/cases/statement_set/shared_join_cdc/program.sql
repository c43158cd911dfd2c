-- a join of CDC tables used twice with TTL hints
CREATE TABLE a (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/a.json',
  'format' = 'debezium-json'
);

CREATE TABLE b (id INT, w INT, PRIMARY KEY (id) NOT ENFORCED) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/b.json',
  'format' = 'debezium-json'
);

CREATE TEMPORARY VIEW j AS SELECT /*+ STATE_TTL('a' = '1d', 'b' = '2d') */ a.id, v, w FROM a LEFT JOIN b ON a.id = b.id;
CREATE TABLE o1 (id INT, v INT, w INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/o1',
  'format' = 'debezium-json'
);

CREATE TABLE o2 (n BIGINT, s INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/o2',
  'format' = 'debezium-json'
);

EXECUTE STATEMENT SET BEGIN
INSERT INTO o1 SELECT * FROM j WHERE w IS NULL;
INSERT INTO o2 SELECT COUNT(w), SUM(v) FROM j;
END;
