"""The lessons as web pages, `course/`, which open with a double click: no server, network or installation is needed.

    course_pages               the pages, the pictures in the texts, and other accompanying files
    markdown                   conversion of a lesson's Markdown to HTML
    formulas                   conversion of LaTeX to MathML
    glossary                   the terms of the glossary, explained where a lesson uses them
    answer_forms_and_practice  the form of each answer, and the answers to practice questions
    dials                      interactive pictures, and all JavaScript (script/, and dials/ here and in lessons)
    style                      the look of the pages, with templates/
    vendor                     the full-text search and the font for formulas, with their licences

The pages are made from the handout's files and from the answers to questions without points. No page contains a
solution.
"""

from autograder.pages.course_pages import course_files, pictures, search_script, style
from autograder.pages.markdown import highlighted_code

__all__ = ["course_files", "highlighted_code", "pictures", "search_script", "style"]
MODULES_FOR_OTHER_PACKAGES = ("answer_forms_and_practice",)
"""Modules that other packages of `autograder` may import."""
