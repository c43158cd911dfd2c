-- Pass through: what reading and writing cost.
CREATE TABLE q0 (
  auction BIGINT,
  bidder BIGINT,
  price BIGINT,
  ts TIMESTAMP(3),
  extra STRING
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q0',
  'format' = 'json'
);

INSERT INTO q0
SELECT auction, bidder, price, ts, extra FROM bid;
