"""What numpy's own messages mean in the words of the lessons, where they tell the cause.

The sentences are fixed: nothing of an input gets into them.
"""

from __future__ import annotations

import re

from autograder.checks.call import Raised

_CAUSES = {
    r"^matmul: Input operand 1 has a mismatch in its core dimension": (
        "You multiplied two matrices whose inner sizes differ. The rule is (…, n, d) times (…, d, m). "
        "`.T` reverses all axes, the leading ones too; here only the last two may be exchanged."
    ),
    r"^operands could not be broadcast together with remapped shapes": (
        "You multiplied two stacks of matrices whose leading axes differ. `.T` reverses all axes, the leading ones too; "
        "the rule is that only the last two are exchanged."
    ),
    r"^boolean index did not match indexed array": (
        "You used a mask as an index, and numpy compares its axes with the first axes of the array. "
        "The rule is that a mask (Tq, Tk) belongs to the last two axes, whatever stands before them."
    ),
    r"^operands could not be broadcast together with shapes": (
        "You combined two arrays whose shapes do not fit. numpy compares shapes from the last axis on; "
        "the rule is that two sizes are equal, or one of them is 1."
    ),
}


def cause(raised: Raised) -> str | None:
    """One sentence or two for a message of numpy's; None where it says enough, or is not known."""
    return next((sentence for pattern, sentence in _CAUSES.items() if re.match(pattern, raised.message)), None)
