"""`python -m autograder.checks`, the command that students know: `laptop` is what it runs."""

import runpy

if __name__ == "__main__":
    runpy.run_module("autograder.laptop", run_name="__main__", alter_sys=True)
