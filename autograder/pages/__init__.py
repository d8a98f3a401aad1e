"""The lessons as web pages in `course/`, which open with a double click and need no server, network or installation.

    course_pages               the pages, the pictures in their texts, and other accompanying files
    markdown                   conversion of a lesson's Markdown to HTML
    formulas                   conversion of LaTeX to MathML
    glossary                   the glossary's terms, explained where a lesson uses them
    answer_forms_and_practice  the form of each answer, and the answers to practice questions
    dials                      interactive pictures, and all JavaScript (in script/, and in dials/ here and in lessons)
    style                      the look of the pages, together with templates/
    vendor                     the full-text search and the font for formulas, with their licences

The pages are made from the handout's files and from the answers to practice questions. No page contains a solution.
"""

from autograder.pages.course_pages import course_files, pictures, search_script, style
from autograder.pages.markdown import highlighted_code

__all__ = ["course_files", "highlighted_code", "pictures", "search_script", "style"]
MODULES_FOR_OTHER_PACKAGES = ("answer_forms_and_practice",)
"""Modules that other `autograder` packages may import."""
