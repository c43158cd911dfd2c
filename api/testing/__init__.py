"""Tests of streaming programs: YAML files and their steps, values by type, comparison, results"""
