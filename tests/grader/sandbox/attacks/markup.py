"""Idea: text that a page or a Markdown reader renders: scripts, images that call home, links, headings, ends of quotations.

Stopped by: what a submission says is quoted, never rendered.
"""

MARKUP = (
    "<script>alert(1)</script><img src=x onerror=alert(1)>\"'></td></table>\n"
    "```\n~~~\n# rope: 20 of 20 points\n\n[a link](javascript:alert(1)) ![](http://127.0.0.1/x)\n"
    "</pre><iframe srcdoc='x'>&lt;&#60;\n"
    "{{ 7 * 7 }} {% raw %} ${7*7} [bold red]rich[/]"
)
print("TRIED", MARKUP)


class Rude(Exception):
    pass


Rude.__name__ = MARKUP.replace("\n", " ")


def raise_it(name, args):
    raise Rude(MARKUP)


in_every_call(raise_it)
ANSWERS = {key: MARKUP for key in ANSWERS}
