"""What teaching staff look at once the grades are there. Reports read rows, and know no gradebook.

class_page        report.html, from class_statistics
similarity        submissions worth reading side by side
canvas            scores for Canvas's gradebook
one_submission    one submission for a TA, as a table or JSON
"""

FRONT_DOOR = ("canvas", "class_page", "one_submission", "similarity")
"""The modules that other rooms may import."""
