"""`python -m assignments.writer "Two tokens that"`: the model continues the text, using the functions you have written.

--experiment NAME   break one part, and see what the model writes: other-layout, forgotten-position,
                    shuffled, longer, dropped, padded-left, whole-model
"""

from __future__ import annotations

import argparse
import sys

from assignments.writer.experiments import EXPERIMENTS
from assignments.writer.llama import Model, measured
from assignments.writer.text_generation import compared, written
from assignments.writer.written_functions import written_functions
from autograder.checks.output_encoding import print_anywhere
from autograder.laptop.picture_and_writer_errors import error_sentence


def main() -> None:
    """Parse the command line, then run an experiment or write."""
    print_anywhere()
    summary = (__doc__ or "").split("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m assignments.writer", description=summary)
    parser.add_argument("prompt", nargs="?", default="Two tokens that")
    parser.add_argument("--experiment", choices=EXPERIMENTS, help="break one part, and see the text")
    arguments = parser.parse_args()
    model = Model(written_functions())
    for function, source in model.parts.sources.items():
        print(f"{function:16} {source}")
    if not arguments.experiment:
        losses = ", ".join(f"{name} {loss}" for name, loss in measured())
        print(f"the trained model's loss per character: {losses}")
    print()
    pieces = compared(model, arguments.experiment) if arguments.experiment else written(model, arguments.prompt)
    try:
        for piece in pieces:
            print(piece, end="", flush=True)
    except Exception as error:  # an unfinished function can raise anything
        sys.exit(f"\n{error_sentence(error)}")
    print()


if __name__ == "__main__":
    main()
