"""What teaching staff look at once the grades are there. Reports read rows, and know no gradebook.

    class_page        report.html
    similarity        submissions worth reading side by side
    roster            scores into a table of Canvas, Moodle or anybody
    feedback_zip      feedback packed for Canvas or Moodle
    one_submission    one submission for a TA, as text or JSON
    templates         how templates are filled, here and in the handout

Whatever a submission controls is escaped or cleaned before it is shown.
"""

PUBLIC_MODULES = ("class_page", "feedback_zip", "one_submission", "roster", "similarity", "templates")
"""The modules that other rooms may import."""
