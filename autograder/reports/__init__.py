"""What teaching staff look at once the grades are there. Reports read rows, and know no gradebook.

    class_page        report.html, from class_statistics
    similarity        submissions worth reading side by side
    canvas            scores for Canvas's gradebook
    moodle            scores and feedback for Moodle's worksheet
    roster            for both of them, whose row a grade belongs in
    late              and what is taken off for late work, if anything
    one_submission    one submission for a TA, as text or JSON

Whatever a submission controls is escaped or cleaned before it is shown.
"""

FRONT_DOOR = ("canvas", "class_page", "late", "moodle", "one_submission", "roster", "similarity")
"""The modules that other rooms may import."""
