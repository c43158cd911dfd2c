"""What differs between two plans, and what it does to the state of each operator."""
