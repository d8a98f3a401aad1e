"""Idea: loop in a thread: each has a trace of its own, and a new one has none.

Stopped by: a call whose lines are counted starts no thread, and finds none that the file has started.
"""

import queue
import threading

print("TRIED looping in a thread")
todo, done = queue.SimpleQueue(), queue.SimpleQueue()


def work():
    while True:
        todo.get()()
        done.put(None)


threading.Thread(target=work, daemon=True).start()


def hidden(loop):
    todo.put(loop)
    done.get()


looping(hidden)
