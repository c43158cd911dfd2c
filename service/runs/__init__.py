"""Runs that are looked after: started as processes of their own, found again, restarted, stopped."""
