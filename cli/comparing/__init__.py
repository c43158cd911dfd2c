"""Comparison of two plans, for `diff-plan` and `review-plans`"""
