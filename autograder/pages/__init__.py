"""The lessons as web pages, `course/`, which open by a double click: without a server, a network or an installation.

    course_pages   the pages, and the files beside them
    markdown       a lesson's Markdown → HTML
    formulas       LaTeX → MathML
    glossary       the terms of the glossary, explained at their uses in a lesson
    questions      the form of each answer, and the answers of the questions for practice
    picture_files  pictures beside texts, and the map of the course for a term's plan
    dials          interactive pictures, and all JavaScript (script/, and dials/ here and in lessons)
    style, templates  the look of the pages
    vendor         the full-text search and the font of formulas, with their licences

The pages are made from the files of the handout, and from the answers to questions without points. No page holds a
solution.
"""

from autograder.pages.course_pages import course, search_script, style
from autograder.pages.markdown import code
from autograder.pages.picture_files import pictures

__all__ = ["code", "course", "pictures", "search_script", "style"]
PUBLIC_MODULES = ("questions",)
"""The modules that other rooms may import."""
