"""The language of tests: statements about a submission, in the words of the lesson.

    pytest_plugin         the pytest plugin: marks, the fixture that provides a test's submission, random inputs
    quiz_answers          checks of the entries of ANSWERS: their form and their value
    expect                comparisons of actual with expected results, and the messages about the differences
    difference            the difference between an actual and an expected result
    relation_to_expected  the relation of a wrong result to the expected one, such as another order or sign
    proxy                 the submission as a test uses it, wherever the student's code runs
    numpy_errors          explanations of numpy's exceptions, with the shapes involved
    oracle                the protocol for correct values and known mistakes
    call_repr             the text of a call, as a student would type the call
    value_text            the text of a value in a message
    inputs                features, and strategies for Hypothesis
    results               the result of one test
    function_status       the status of each function, judged by the function's tests
    result_markdown       the text of a result, for each kind of reader
    source                a student's code: the syntax tree, the definitions, and their dependencies
    output_encoding       output that every terminal and pipe can show

Students receive this package, so it contains no answers and imports nothing from the grader. The same tests
run on a student's machine (on a file in the same process), in the grader (on a file in the sandbox) and on
the solutions.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - a student with an older version gets one clear message
    raise SystemExit("Python 3.11 or newer is needed; this is Python %d.%d." % sys.version_info[:2])  # noqa: UP031 - old versions run it

MODULES_FOR_OTHER_PACKAGES = """
    quiz_answers call_repr difference expect pytest_plugin function_status inputs numpy_errors oracle proxy
    result_markdown results source output_encoding value_text
""".split()
"""Modules that other packages of `autograder` may import."""
