"""The lessons → `course/`: the whole course as pages that open by a double click, without a server, a network or an
installation.

    site       which pages there are, and what lies beside them
    markdown   a lesson's Markdown → HTML
    formulas   LaTeX → MathML
    glossary   the terms of the glossary, explained where a lesson touches them
    questions  the form of each answer, and the answers of the questions for practice
    picture_files   pictures beside texts, and the map of the course for a term's plan
    dials      pictures that move, and all JavaScript (script/, and dials/ here and in lessons)
    style, templates   what the pages look like
    vendor     the full-text search and the font of formulas, with their licences

Everything is made from what the handout has, but for the answers to questions without points: no page knows a solution.
"""

from autograder.pages.markdown import code
from autograder.pages.picture_files import pictures
from autograder.pages.site import course, style

__all__ = ["code", "course", "pictures", "style"]
PUBLIC_MODULES = ("questions",)
"""The modules that other rooms may import."""
