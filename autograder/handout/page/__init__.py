"""The lessons → `course/`: the whole course as pages that open by a double click, without a server, a network or an installation.

    site       which pages there are, and what lies beside them
    markdown   a lesson's Markdown → HTML
    formulas   LaTeX → MathML
    glossary   the terms of the glossary, explained where a lesson touches them
    dials      pictures that move: which lesson each belongs to, and their JavaScript
    style, templates, fonts   what the pages look like

Everything is made from what the handout has: no page knows a solution.
"""

from autograder.handout.page.site import course

__all__ = ["course"]
