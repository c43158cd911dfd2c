"""The steps, one a file; `down_revision` names the one before."""
