-- Top 10 of each auction, by price.
CREATE TABLE q19 (
  auction BIGINT,
  bidder BIGINT,
  price BIGINT,
  channel STRING,
  url STRING,
  ts TIMESTAMP(3),
  extra STRING,
  place BIGINT
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q19',
  'format' = 'debezium-json'
);

INSERT INTO q19
SELECT auction, bidder, price, channel, url, ts, extra, place
FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS place FROM bid
)
WHERE place <= 10;
