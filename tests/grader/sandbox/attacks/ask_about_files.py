"""Idea: learn what there is without reading it: sizes, times and owners of files, names that exist and names that do
not.

Not stopped: stat and access answer for a path that is asked for in full, and for the number of a process.
"""

print("TRIED asking about files", flush=True)
assert os.stat(SECRET).st_size
assert not any(os.access(f"{SECRET}-{number}", os.F_OK) for number in range(10_000))
assert os.stat(f"/proc/{TARGETS['process']}").st_mode
