"""The lessons as web pages, `course/`, which open with a double click: no server, network or installation is needed.

    course_pages   the pages, the pictures in the texts, and other accompanying files
    markdown       a lesson's Markdown → HTML
    formulas       LaTeX → MathML
    glossary       the terms of the glossary, explained where a lesson uses them
    answer_forms   the form of each answer, and the answers to practice questions
    dials          interactive pictures, and all JavaScript (script/, and dials/ here and in lessons)
    style, templates  the look of the pages
    vendor         the full-text search and the font for formulas, with their licences

The pages are made from the handout's files and from the answers to questions without points. No page contains a
solution.
"""

from autograder.pages.course_pages import course, pictures, search_script, style
from autograder.pages.markdown import highlighted_code

__all__ = ["course", "highlighted_code", "pictures", "search_script", "style"]
PUBLIC_MODULES = ("answer_forms",)
"""The modules that other rooms may import."""
