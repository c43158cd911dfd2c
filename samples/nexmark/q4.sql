-- Average price of a category: the mean of its auctions' winning bids so far.
CREATE TABLE q4 (
  category BIGINT,
  price BIGINT
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q4',
  'format' = 'debezium-json'
);

INSERT INTO q4
SELECT category, AVG(winning)
FROM (
  SELECT a.id, a.category, MAX(b.price) AS winning
  FROM auction AS a
  JOIN bid AS b ON a.id = b.auction
  WHERE b.ts BETWEEN a.ts AND a.expires
  GROUP BY a.id, a.category
)
GROUP BY category;
