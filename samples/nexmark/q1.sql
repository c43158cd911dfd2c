-- Currency conversion: each bid's price from dollars to euros.
CREATE TABLE q1 (
  auction BIGINT,
  bidder BIGINT,
  price DECIMAL(23, 3),
  ts TIMESTAMP(3),
  extra STRING
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q1',
  'format' = 'json'
);

INSERT INTO q1
SELECT auction, bidder, 0.908 * price, ts, extra FROM bid;
