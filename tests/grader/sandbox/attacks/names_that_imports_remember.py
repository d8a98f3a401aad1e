"""Idea: the import system caches the names in every folder that it has looked into, the project's among them.

Stopped by: the zygote forgets those folders before it forks.
"""

for folder, finder in sys.path_importer_cache.items():
    names = getattr(finder, "_path_cache", ())
    with attempt(f"the names in {folder}"):
        refuse_unless({"solutions", "tests", "autograder", "otter", "hypothesis"} & set(names))
found_nothing("the arguments of the interpreter", repr((sys.argv, sys.orig_argv, sys.path)))
with attempt("finding the project in the arguments"):
    refuse_unless(any(project() in argument for argument in (*sys.argv, *sys.orig_argv, *sys.path)))
