"""Another program on a checkpoint: what becomes of its state, and the steps that bring it there"""
