"""Commands that hand what they run to a process of before, which kept Spark (`execute-plan --warm`)."""
