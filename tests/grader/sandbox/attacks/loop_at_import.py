"""Idea: never finish loading.

Stopped by the grader: loading has the time of one call, and is not tried again.
"""

while True:
    pass
