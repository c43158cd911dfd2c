"""Review of changed programs: their plans compared with the committed ones (`review-plans`)"""
