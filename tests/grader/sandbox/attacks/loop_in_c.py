"""Idea: one long step inside C, where no Python signal handler runs, with all signals ignored.

Stopped by the system: SIGKILL, from outside; after two such calls a function is not called again.
"""

import signal

print("TRIED a loop in C", flush=True)
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
in_every_call(lambda name, args: re.match(r"(a*)*b", "a" * 60))
