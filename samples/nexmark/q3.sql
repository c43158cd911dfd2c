-- Local item suggestion: who sells in one category in three states.
CREATE TABLE q3 (
  name STRING,
  city STRING,
  state STRING,
  id BIGINT
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q3',
  'format' = 'json'
);

INSERT INTO q3
SELECT p.name, p.city, p.state, a.id
FROM auction AS a
JOIN person AS p ON a.seller = p.id
WHERE a.category = 10 AND p.state IN ('OR', 'ID', 'CA');
