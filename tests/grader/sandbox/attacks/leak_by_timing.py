"""Idea: stay below the time of a call, in every hidden call: and so tell an input by the status of the whole.

Stopped by the grader: the time of all calls together is bounded; a student sees the status before the first hidden
call.
"""

import time

late_in_every_call(lambda: time.sleep(0.2))
tried()
