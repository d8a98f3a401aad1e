"""`python -m assignments.writer "Two tokens that"`: the model writes on, with your functions where they are written.

--experiment NAME   break one thing, and see what it writes then: other-layout, forgotten-position, shuffled,
                    longer, dropped, padded-left
--lessons           write the outputs that lessons show into them, anew
"""

from __future__ import annotations

import argparse
import inspect
import sys

from assignments.writer.experiments import EXPERIMENTS
from assignments.writer.lessons import update
from assignments.writer.model import Model, measured
from assignments.writer.yours import yours


def main() -> None:
    """Read the command line, and write."""
    parser = argparse.ArgumentParser(prog="python -m assignments.writer", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("prompt", nargs="?", default="Two tokens that")
    parser.add_argument("--experiment", choices=EXPERIMENTS, help="break one thing, and see what it writes then")
    parser.add_argument("--lessons", action="store_true", help="write the outputs that lessons show into them, anew")
    arguments = parser.parse_args()
    if arguments.lessons:
        update()
        return
    model = Model(yours())
    for function, owner in model.parts.whose.items():
        print(f"{function:16} {owner}")
    if arguments.experiment:
        print("\n" + inspect.cleandoc(EXPERIMENTS[arguments.experiment].__doc__ or ""))
        for way in EXPERIMENTS[arguments.experiment](model):
            print(f"\n{way.title}:\n    {way.text}")
        return
    print("loss per character: " + ", ".join(f"{row[0]} {row[1]}" for row in measured()))
    print("\n" + arguments.prompt, end="")
    for character in model.write(arguments.prompt, 300):
        print(character, end="")
        sys.stdout.flush()
    print()


if __name__ == "__main__":
    main()
