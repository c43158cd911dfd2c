"""The Nexmark queries of `samples/nexmark` here and on Flink, as rows per second: `make bench-flink`."""
