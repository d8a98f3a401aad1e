"""Idea: loop, and hope that nobody counts: what every other attack on the count is compared with.

Stopped by: lines are counted.
"""

print("TRIED a plain loop")
looping(lambda loop: loop())
