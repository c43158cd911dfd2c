-- Folders of a URL.
CREATE TABLE q22 (
  auction BIGINT,
  bidder BIGINT,
  price BIGINT,
  channel STRING,
  dir1 STRING,
  dir2 STRING,
  dir3 STRING
) WITH (
  'connector' = 'filesystem',
  'path' = 'out/nexmark/q22',
  'format' = 'json'
);

INSERT INTO q22
SELECT
  auction, bidder, price, channel,
  SPLIT_INDEX(url, '/', 3), SPLIT_INDEX(url, '/', 4), SPLIT_INDEX(url, '/', 5)
FROM bid;
