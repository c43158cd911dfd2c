"""Upgrades: another program on a checkpoint, and the migration of its state"""
