-- catalogs of their own, their first databases, and a view that keeps its names when the current ones change
CREATE CATALOG shop COMMENT 'what is sold' WITH ('type' = 'generic_in_memory', 'default-database' = 'main');
USE CATALOG shop;
CREATE TABLE s (id INT, v INT) WITH (
  'connector' = 'filesystem',
  'path' = '${data}/s.json',
  'format' = 'json'
);
CREATE VIEW sums AS SELECT id, SUM(v) AS v FROM s GROUP BY id;

CREATE DATABASE `re ports` COMMENT 'what is made of it' WITH ('k' = 'v');
ALTER DATABASE `re ports` SET ('k' = 'w');
USE `re ports`;
CREATE TABLE s (id INT, name STRING) WITH ('connector' = 'datagen');
CREATE TABLE sink_out (id INT, v INT) WITH (
  'connector' = 'filesystem',
  'path' = '${out}/sink_out',
  'format' = 'debezium-json'
);

USE CATALOG default_catalog;
INSERT INTO shop.`re ports`.sink_out SELECT id, v FROM shop.main.sums;
