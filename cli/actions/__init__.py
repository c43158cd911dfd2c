"""The actions of the commands: imported when a command runs, after its options are read"""
