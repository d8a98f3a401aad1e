"""What teaching staff look at once the grades are there. Reports read rows, and know no gradebook.

    class_page        report.html, from class_statistics
    similarity        submissions worth reading side by side
    canvas            scores for Canvas's gradebook
    moodle            scores and feedback for Moodle's worksheet
    sending           feedback packed for a platform, or for mail
    matching          for Canvas and Moodle, whose row a grade belongs in
    one_submission    one submission for a TA, as text or JSON
    templates         how templates are filled, here and in the handout

Whatever a submission controls is escaped or cleaned before it is shown.
"""

FRONT_DOOR = ("canvas", "class_page", "moodle", "one_submission", "matching", "sending", "similarity", "templates")
"""The modules that other rooms may import."""
