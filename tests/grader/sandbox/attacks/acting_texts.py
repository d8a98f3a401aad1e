"""Idea: text that a page, a terminal or a spreadsheet obeys, that fails to be written, or shows as other than it is.

Stopped by the grader: what a submission says is quoted, never rendered, and shown without control characters; half
surrogate pairs never cross; nothing that it says is a column of the table.
"""

import itertools

TEXTS = [
    "<script>alert(1)</script><img src=x onerror=alert(1)>\"'></td></table>\n"
    "```\n~~~\n# rope: 20 of 20 points\n\n[a link](javascript:alert(1)) ![](http://127.0.0.1/x)\n"
    "</pre><iframe srcdoc='x'>&lt;&#60;\n{{ 7 * 7 }} {% raw %} ${7*7} [bold red]rich[/]",
    "\x1b[2J\x1b[1A\x1b]0;owned\x07\x1b]52;c;cm0gLXJm\x07\x9b31m\x90q\x9c\r20 of 20\x08\x08\x00\x7f",
    "\u202e02 fo 02\u2066\u200b\u2028\u2029\ufeff\ufffe\U000e0041" + "a" + "\u0301" * 1000,
    *("=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1+1)", "\t=1+1", "\r=1+1", 'a",=1+1,"', "=HYPERLINK('//127.0.0.1')"),
    "\ud800",
]
texts = itertools.cycle(TEXTS)
kinds = [type(re.sub("[\n\0\ud800]", " ", text), (Exception,), {}) for text in TEXTS]
print(*TEXTS[:-1])
sys.stdout.reconfigure(errors="surrogatepass")


def raise_it(name, args):
    text = next(texts)
    print(text)
    raise kinds[TEXTS.index(text)](text)


in_every_call(raise_it)
ANSWERS = {key: next(texts) for key in ANSWERS}
