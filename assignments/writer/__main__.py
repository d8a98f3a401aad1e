"""`python -m assignments.writer "Two tokens that"`: the model writes on, with your functions where they are written.

--experiment NAME   break one thing, and see what it writes then: other-layout, forgotten-position, shuffled,
                    longer, dropped, padded-left
"""

from __future__ import annotations

import argparse
import inspect
import sys

from assignments.writer.experiments import EXPERIMENTS, Experiment
from assignments.writer.model import Model, measured
from assignments.writer.yours import yours


def main() -> None:
    """Read the command line, and write."""
    parser = argparse.ArgumentParser(prog="python -m assignments.writer", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("prompt", nargs="?", default="Two tokens that")
    parser.add_argument("--experiment", choices=EXPERIMENTS, help="break one thing, and see what it writes then")
    arguments = parser.parse_args()
    model = Model(yours())
    for function, owner in model.parts.whose.items():
        print(f"{function:16} {owner}")
    try:
        if arguments.experiment:
            tell(EXPERIMENTS[arguments.experiment], model)
        else:
            write(model, arguments.prompt)
    except Exception as error:  # whatever a function does that is being written
        sys.exit(f"\nOne of your functions raised {type(error).__name__}: {error}")


def tell(experiment: Experiment, model: Model) -> None:
    """The texts of an experiment, one below the other."""
    print("\n" + inspect.cleandoc(experiment.__doc__ or ""))
    for way in experiment(model):
        print(f"\n{way.title}:\n    {way.text}")


def write(model: Model, prompt: str, n: int = 300) -> None:
    """Write on, and say whether the given functions write the same."""
    print("the trained model's loss per character: " + ", ".join(f"{name} {loss}" for name, loss in measured()))
    print("\n" + prompt, end="")
    text = ""
    for character in model.write(prompt, n):
        text += character
        print(character, end="")
        sys.stdout.flush()
    print()
    if not any(owner.startswith("yours") for owner in model.parts.whose.values()):
        return
    right = "".join(Model().write(prompt, n))
    first = next((i for i, pair in enumerate(zip(text, right, strict=True), 1) if pair[0] != pair[1]), None)
    print("\nThe given functions write " + (f"another text from character {first} on." if first else "the same text."))


if __name__ == "__main__":
    main()
