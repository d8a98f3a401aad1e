"""Reports for teaching staff, made from the rows of a gradebook.

    class_page         report.html
    similarity         submissions worth reading side by side
    fingerprints       the code of a submission as far as a disguise does not change it
    coincidence        whether a pair may be similar by chance
    platform_table     scores for a table from Canvas, Moodle or another source
    student_lines      the lines of such a table that belong to students
    feedback_zip       feedback packed for Canvas or Moodle
    submission_result  one submission's result for a TA, as text or JSON
    templates          the template renderer, for reports and the handout

Text that a submission can control is escaped or cleaned before it is shown.
"""

MODULES_FOR_OTHER_PACKAGES = (
    "class_page",
    "feedback_zip",
    "submission_result",
    "platform_table",
    "similarity",
    "templates",
)
"""Modules that other `autograder` packages may import."""
