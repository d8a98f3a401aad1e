"""The language of tests: statements about a submission, in the words of the lesson.

    fixtures  the pytest plugin: marks, the fixture that provides a test's submission, random inputs
    answers   the entries of ANSWERS: whether one is right, and whether it has the form of an answer
    expect    compares the actual with the expected result, and writes the message
    proxy     the submission as a test sees it, wherever its code runs
    numpy_errors  explains numpy's exceptions by the shapes involved
    oracle    the protocol for right values and known mistakes
    call_repr  a call in the form in which a student would type it
    inputs    features, and strategies for Hypothesis
    results   the result of one test
    function_state  the state of each function, judged by its tests
    render    the text of a result, for each kind of reader
    source    a student's text: its syntax tree, its definitions, and their dependencies
    streams   output that every terminal and pipe can show

Students receive it, so it contains no answers and uses no grader: the same tests run on a laptop (the student's file in
this process), in the grader (the file behind the wall) and on the reference solutions.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - a student may have an older version, and should hear of it once
    raise SystemExit("Python 3.11 or newer is needed; this is Python %d.%d." % sys.version_info[:2])  # noqa: UP031 - for old ones

PUBLIC_MODULES = (
    "answers call_repr expect fixtures function_state inputs oracle proxy render results source streams".split()
)
"""The modules that other rooms may import."""
