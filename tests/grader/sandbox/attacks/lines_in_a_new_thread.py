"""Idea: start the thread that loops within the call.

Stopped by: to start a thread is an event.
"""

import threading

print("TRIED looping in a new thread")


def hidden(loop):
    thread = threading.Thread(target=loop)
    thread.start()
    thread.join()


looping(hidden)
