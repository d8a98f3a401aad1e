"""`python -m assignments.writer "Two tokens that"`: the model continues the text, with the functions you have written.

--experiment NAME   break one thing, and see what the model writes: other-layout, forgotten-position,
                    shuffled, longer, dropped, padded-left, whole-model
"""

from __future__ import annotations

import argparse
import inspect
import sys

from assignments.writer.experiments import EXPERIMENTS, Experiment
from assignments.writer.llama import Model, measured
from assignments.writer.written_functions import written_functions
from autograder.checks.streams import print_anywhere


def main() -> None:
    """Parse the command line, then run an experiment or write."""
    print_anywhere()
    summary = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m assignments.writer", description=summary)
    parser.add_argument("prompt", nargs="?", default="Two tokens that")
    parser.add_argument("--experiment", choices=EXPERIMENTS, help="break one thing, and see the text")
    arguments = parser.parse_args()
    model = Model(written_functions())
    for function, source in model.parts.sources.items():
        print(f"{function:16} {source}")
    try:
        if arguments.experiment:
            show(EXPERIMENTS[arguments.experiment], model)
        else:
            write(model, arguments.prompt)
    except Exception as error:  # an unfinished function can raise anything
        sys.exit(f"\nOne of your functions raised {type(error).__name__}: {error}")


def show(experiment: Experiment, model: Model) -> None:
    """Print the texts of an experiment, one below the other."""
    print("\n" + inspect.cleandoc(experiment.__doc__ or ""))
    for variant in experiment(model):
        print(f"\n{variant.title}:\n    {variant.text}")


def write(model: Model, prompt: str, n: int = 300) -> None:
    """Print the prompt and n more characters, and whether the provided functions write the same."""
    losses = ", ".join(f"{name} {loss}" for name, loss in measured())
    print(f"the trained model's loss per character: {losses}")
    print("\n" + prompt, end="")
    text = ""
    for character in model.write(prompt, n):
        text += character
        print(character, end="")
        sys.stdout.flush()
    print()
    if not any(source.startswith("yours") for source in model.parts.sources.values()):
        return
    expected = "".join(Model().write(prompt, n))
    pairs = enumerate(zip(text, expected, strict=True), 1)
    first = next((i for i, (actual, other) in pairs if actual != other), None)
    comparison = f"another text from character {first} on" if first else "the same text"
    print(f"\nThe provided functions write {comparison}.")


if __name__ == "__main__":
    main()
