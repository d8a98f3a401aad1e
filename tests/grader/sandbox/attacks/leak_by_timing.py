"""Idea: stay just below the time limit in every hidden call, to reveal an input through the status of the whole
submission.

Stopped by the grader: the total time of all calls is limited, and the status that a student sees is settled before the
first hidden call.
"""

import time

late_in_every_call(lambda: time.sleep(0.2))
tried()
