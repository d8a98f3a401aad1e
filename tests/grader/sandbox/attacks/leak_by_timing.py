"""Idea: stay just below the time limit in every hidden call, so that the total time, and with it the status
of the submission, depends on an input.

Defence: the total time of all calls is limited, and the status that a student sees is final
before the first hidden call.
"""

import time

late_in_every_call(lambda: time.sleep(0.2))
tried()
