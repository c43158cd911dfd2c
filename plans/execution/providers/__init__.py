"""Data sources of Spark, by their names: what they give, read as streams or as a whole, appended to and merged into"""
