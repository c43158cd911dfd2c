-- Selection: bids on some auctions.
CREATE TABLE q2 (
  auction BIGINT,
  price BIGINT
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q2',
  'format' = 'json'
);

INSERT INTO q2
SELECT auction, price FROM bid WHERE MOD(auction, 123) = 0;
