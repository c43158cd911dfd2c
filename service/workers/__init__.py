"""Tasks on programs and plans in separate processes, with limits on time and memory."""
