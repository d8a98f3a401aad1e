"""The language of tests: statements about a submission, in the lesson's words.

    pytest_plugin         the pytest plugin: marks, the fixture that gives a test its submission, and random inputs
    quiz_answers          checks of the form and the value of entries in ANSWERS
    expect                comparisons of actual results with expected ones, and messages about differences
    difference            the difference between an actual and an expected result
    relation_to_expected  how a wrong result relates to the expected one, such as a different order or sign
    proxy                 the submission as a test uses it, wherever the student's code runs
    numpy_errors          explanations of numpy exceptions, with the shapes involved
    oracle                the protocol for correct values and known mistakes
    call_repr             the text of a call as a student would type it
    value_text            the text of a value in a message
    inputs                features, and strategies for Hypothesis
    results               the result of one test
    function_status       the status of each function, judged by the function's tests
    result_markdown       the text of a result, for each kind of reader
    source                a student's code: the syntax tree, the definitions, and their dependencies
    output_encoding       output that any terminal or pipe can show

Students receive this package, so it contains no answers and imports nothing from the grader. The same tests run on a
student's machine (with the file in the same process), in the grader (with the file in the sandbox) and on the
solutions.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - students with an older version get one clear message
    raise SystemExit("Python 3.11 or newer is needed; this is Python %d.%d." % sys.version_info[:2])  # noqa: UP031 - old versions run it

MODULES_FOR_OTHER_PACKAGES = """
    quiz_answers call_repr difference expect pytest_plugin function_status inputs numpy_errors oracle proxy
    result_markdown results source output_encoding value_text
""".split()
"""Modules that other `autograder` packages may import."""
