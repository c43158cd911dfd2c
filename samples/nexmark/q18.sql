-- Last bid: the last one of each person on each auction.
CREATE TABLE q18 (
  auction BIGINT,
  bidder BIGINT,
  price BIGINT,
  channel STRING,
  url STRING,
  ts TIMESTAMP(3),
  extra STRING
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q18',
  'format' = 'debezium-json'
);

INSERT INTO q18
SELECT auction, bidder, price, channel, url, ts, extra
FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY bidder, auction ORDER BY ts DESC) AS place FROM bid
)
WHERE place <= 1;
