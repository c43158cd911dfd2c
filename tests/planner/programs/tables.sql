-- A retailer with shops, a catalogue and a site: facts with returns, and the dimensions that they share.
CREATE TABLE days (day_id BIGINT, day_date DATE, yr INT, quarter INT, mon INT, week_no INT, weekday STRING)
  WITH ('connector' = 'filesystem', 'path' = '/days', 'format' = 'json');
CREATE TABLE items (item_id BIGINT, item_code STRING, brand STRING, class STRING, category STRING, price DECIMAL(7, 2),
  colour STRING, maker INT) WITH ('connector' = 'filesystem', 'path' = '/items', 'format' = 'json');
CREATE TABLE customers (customer_id BIGINT, customer_code STRING, first_name STRING, last_name STRING, address_id BIGINT,
  group_id BIGINT, home_id BIGINT, birth_country STRING)
  WITH ('connector' = 'filesystem', 'path' = '/customers', 'format' = 'json');
CREATE TABLE addresses (address_id BIGINT, city STRING, county STRING, state STRING, zip STRING, country STRING)
  WITH ('connector' = 'filesystem', 'path' = '/addresses', 'format' = 'json');
CREATE TABLE customer_groups (group_id BIGINT, gender STRING, marital STRING, education STRING, dependents INT)
  WITH ('connector' = 'filesystem', 'path' = '/groups', 'format' = 'json');
CREATE TABLE homes (home_id BIGINT, band_id BIGINT, potential STRING, dependents INT, vehicles INT)
  WITH ('connector' = 'filesystem', 'path' = '/homes', 'format' = 'json');
CREATE TABLE bands (band_id BIGINT, lower_bound INT, upper_bound INT)
  WITH ('connector' = 'filesystem', 'path' = '/bands', 'format' = 'json');
CREATE TABLE shops (shop_id BIGINT, shop_name STRING, city STRING, state STRING, zip STRING, employees INT)
  WITH ('connector' = 'filesystem', 'path' = '/shops', 'format' = 'json');
CREATE TABLE pages (page_id BIGINT, page_code STRING, kind STRING)
  WITH ('connector' = 'filesystem', 'path' = '/pages', 'format' = 'json');
CREATE TABLE houses (house_id BIGINT, house_name STRING, city STRING, state STRING)
  WITH ('connector' = 'filesystem', 'path' = '/houses', 'format' = 'json');
CREATE TABLE promotions (promotion_id BIGINT, by_mail STRING, by_mail_again STRING, on_tv STRING)
  WITH ('connector' = 'filesystem', 'path' = '/promotions', 'format' = 'json');
CREATE TABLE shop_sales (day_id BIGINT, minute_id BIGINT, item_id BIGINT, customer_id BIGINT, group_id BIGINT,
  home_id BIGINT, address_id BIGINT, shop_id BIGINT, promotion_id BIGINT, ticket BIGINT, quantity INT,
  list_price DECIMAL(7, 2), net_paid DECIMAL(7, 2), net_profit DECIMAL(7, 2), coupon DECIMAL(7, 2))
  WITH ('connector' = 'filesystem', 'path' = '/shop_sales', 'format' = 'json');
CREATE TABLE shop_returns (day_id BIGINT, item_id BIGINT, customer_id BIGINT, shop_id BIGINT, ticket BIGINT,
  quantity INT, amount DECIMAL(7, 2), loss DECIMAL(7, 2))
  WITH ('connector' = 'filesystem', 'path' = '/shop_returns', 'format' = 'json');
CREATE TABLE page_sales (day_id BIGINT, item_id BIGINT, customer_id BIGINT, group_id BIGINT, address_id BIGINT,
  page_id BIGINT, house_id BIGINT, promotion_id BIGINT, ticket BIGINT, quantity INT, list_price DECIMAL(7, 2),
  net_paid DECIMAL(7, 2), net_profit DECIMAL(7, 2), coupon DECIMAL(7, 2), sent_day_id BIGINT)
  WITH ('connector' = 'filesystem', 'path' = '/page_sales', 'format' = 'json');
CREATE TABLE page_returns (day_id BIGINT, item_id BIGINT, customer_id BIGINT, page_id BIGINT, ticket BIGINT,
  quantity INT, amount DECIMAL(7, 2), loss DECIMAL(7, 2))
  WITH ('connector' = 'filesystem', 'path' = '/page_returns', 'format' = 'json');
CREATE TABLE site_sales (day_id BIGINT, item_id BIGINT, customer_id BIGINT, address_id BIGINT, site_id BIGINT,
  house_id BIGINT, promotion_id BIGINT, ticket BIGINT, quantity INT, list_price DECIMAL(7, 2), net_paid DECIMAL(7, 2),
  net_profit DECIMAL(7, 2), coupon DECIMAL(7, 2), sent_day_id BIGINT)
  WITH ('connector' = 'filesystem', 'path' = '/site_sales', 'format' = 'json');
CREATE TABLE site_returns (day_id BIGINT, item_id BIGINT, customer_id BIGINT, site_id BIGINT, ticket BIGINT,
  quantity INT, amount DECIMAL(7, 2), loss DECIMAL(7, 2))
  WITH ('connector' = 'filesystem', 'path' = '/site_returns', 'format' = 'json');
