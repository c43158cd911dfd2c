"""Runs of plans under a test: tables of the test instead of connectors, and a clock that the test moves"""
