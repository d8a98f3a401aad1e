"""A test of whether two similar submissions may be similar by chance.

If a lesson leaves little room, honest students write the same code. The class itself shows how much room there is:
a version of a function that many students wrote says little about two of them, and a version that nobody else wrote
says much. For each function that two students share, the model estimates from the rest of the class how probable it
is that a further student writes the same. Programs with equal fingerprints count as one, since copies are no
independent evidence. Students who work independently choose their version of each function independently, so the
probabilities multiply. As in a search of a sequence database (the E-value of Karlin and Altschul 1990), the product
is then multiplied by the number of pairs in the class, and by the number of ways to share that many functions.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

import numpy as np

from autograder.reports.fingerprints import NO_FINGERPRINTS, NODES_PER_FINGERPRINT, ProgramPrints

MAX_EXPECTED_PAIRS = 0.001
"""Expected number of equally similar pairs in a class of independent students, above which a pair may be chance."""
_NEXT_PRINT_PROBABILITY = 0.5 ** (1 / NODES_PER_FINGERPRINT)
"""Probability of the next shared fingerprint if no other student shows it: one half for twelve nodes."""


class ChanceModel:
    """A class of independent students, estimated from the programs of a real class."""

    def __init__(self, programs: Sequence[ProgramPrints], class_size: int) -> None:
        """Store all compared programs, of which the first `class_size` are the class."""
        self._programs = programs
        class_ = programs[:class_size]
        numbers: dict[bytes, int] = {}
        self._distinct = [numbers.setdefault(np.sort(one.prints).tobytes(), len(numbers)) for one in class_]
        self._n_distinct = len(numbers)
        prints = np.concatenate([NO_FINGERPRINTS, *(one.prints for one in class_)])
        owners = np.repeat(np.array(self._distinct, dtype=np.intp), [len(one.prints) for one in class_])
        order = np.argsort(prints)
        self._sorted_prints, self._owners = prints[order], owners[order]
        self._log_pairs = math.log(max(math.comb(len(programs), 2), 1))
        self._owner_set = functools.cache(self._uncached_owner_set)
        self._log_probability = functools.cache(self._uncached_log_probability)

    def may_be_chance(self, first: int, second: int) -> bool:
        """Return True if a class of independent students may contain a pair as similar as these two programs.

        A function counts as shared if at least half of its fingerprints are in both programs.
        """
        smaller, larger = sorted((first, second), key=lambda number: (len(self._programs[number].prints), number))
        prints, functions = self._programs[smaller]
        is_shared = np.isin(prints, self._programs[larger].prints)
        n_pair = len({self._distinct[number] for number in (first, second) if number < len(self._distinct)})
        log_expected, n_functions, n_shared = self._log_pairs, 0, 0
        for function in np.unique(functions):
            is_here = functions == function
            shared = prints[is_here & is_shared]
            n_functions += 1
            if 2 * len(shared) >= np.count_nonzero(is_here):
                n_shared += 1
                log_expected += self._log_probability(shared.tobytes(), n_pair)
        return log_expected + math.log(math.comb(n_functions, n_shared)) > math.log(MAX_EXPECTED_PAIRS)

    def _uncached_log_probability(self, shared: bytes, n_pair: int) -> float:
        """Return the logarithm of the probability that one more program contains these fingerprints of a function.

        Each fingerprint is predicted from the other programs with all fingerprints before it or, if none of these
        programs contains it, from those with the fingerprint just before it. One made-up program joins them, which
        has the next fingerprint with `_NEXT_PRINT_PROBABILITY`. All sets of programs include the pair itself.
        """
        alike = previous = (1 << self._n_distinct) - 1
        total = 0.0
        for owners in map(self._owner_set, np.frombuffer(shared, np.uint64).tolist()):
            before = alike if (alike & owners).bit_count() > n_pair else previous
            alike, previous = before & owners, owners
            total += math.log(
                (alike.bit_count() - n_pair + _NEXT_PRINT_PROBABILITY) / (before.bit_count() - n_pair + 1)
            )
        return total

    def _uncached_owner_set(self, fingerprint: int) -> int:
        """Return the distinct programs in the class that contain a fingerprint, with one bit for each program."""
        value = np.uint64(fingerprint)
        start, end = (int(np.searchsorted(self._sorted_prints, value, side)) for side in ("left", "right"))
        return functools.reduce(lambda owners, owner: owners | 1 << owner, self._owners[start:end].tolist(), 0)
