"""Idea: text that a spreadsheet computes when it opens the table of grades.

Stopped by: nothing that a submission says is a column of the table.
"""

import itertools

formulas = itertools.cycle(
    ["=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1+1)", "\t=1+1", "\r=1+1", '=HYPERLINK("http://127.0.0.1","20")', 'a",=1+1,"']
)
print("TRIED", next(formulas))


def raise_it(name, args):
    raise ValueError(next(formulas))


in_every_call(raise_it)
ANSWERS = {key: next(formulas) for key in ANSWERS}
