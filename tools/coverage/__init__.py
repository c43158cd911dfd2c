"""Coverage of Flink: the names that a real Flink enumerates, with the product's answer to each."""
