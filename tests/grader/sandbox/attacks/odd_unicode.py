"""Idea: text that fails to be written, or shows as other than it is: half surrogate pairs, reversed text, a thousand accents.

Stopped by: half pairs never cross; characters that only steer the display are replaced.
"""

ODD = "\ud800 \u202e02 fo 02\u2066\u200b\u2028\u2029\ufeff\ufffe\U000e0041" + "a" + "\u0301" * 1000
print("TRIED odd text")
sys.stdout.reconfigure(errors="surrogatepass")
print(ODD)


class Rude(Exception):
    pass


Rude.__name__ = ODD.replace("\ud800", "")


def raise_it(name, args):
    raise Rude(ODD)


in_every_call(raise_it)
ANSWERS = {key: ODD for key in ANSWERS}
