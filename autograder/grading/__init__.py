"""Everything that decides a grade, and what a student is told of it.

    suite        an assignment's pytest tests, collected once and run on any number of submissions
    follow_through  a mistake costs once: what fails above a wrong function, asked again with right values below
    grader       one submission → one grade
    scoring      the test files that Otter reads, its scores of test results, and what it says of them
    quiz         the right answers and why, and known wrong ones
    grade        a grade, and its form as JSON
    row          a grade as it travels, a person's word on it, and a row of the gradebook
    needs_review       which rows a person should look at, and where
    feedback     a grade → words for a student

It loads Otter and the sandbox only in `grader` and `scoring`: who only reads grades stays small.
"""

PUBLIC_MODULES = ("feedback", "grader", "quiz", "grade", "needs_review", "row", "scoring", "suite")
"""The modules that other rooms may import."""
