"""What the checks say of an assignment, in Markdown: the terminal prints it, and the live page shows it.

A line for each function; for a mistake, which is told once, at the function where it sits, also the call, what was
wanted, what came, what the code printed and the likely cause.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.console import Console

from autograder.checks import answers
from autograder.checks.results import POINTS, PUBLIC_POINTS
from autograder.checks.standing import Standing, State
from autograder.checks.telling import Audience, block, inline, note, print_markdown, quoted
from autograder.laptop.progress import FILE, LESSON, Progress, known_assignments, lesson_number
from autograder.protocol.call import ANSWERS
from autograder.protocol.failure import Kind

MAX_PRINTED = 12
"""Lines that a test printed and that are shown."""

MARKS = dict.fromkeys(State, "·") | dict.fromkeys((State.RIGHT, State.GIVEN), "✓")
MARKS |= dict.fromkeys((State.MISTAKEN, State.BUILT_ON), "✗")
"""✓ finished, ✗ wrong, · open"""

HIDDEN = (
    f"{POINTS - PUBLIC_POINTS} of {POINTS} points are decided by tests that you do not see: the same rules on other"
    " inputs, and those of assignments/README.md."
)


def overview(all_progress: Sequence[Progress]) -> str:
    """A line for each assignment, with what to do next."""
    lines = [f"{one.name:<18} {len(one.right):>2} of {len(one.standings):<3} {_step(one)}" for one in all_progress]
    right, functions = (sum(len(one.right) for one in all_progress), sum(len(one.standings) for one in all_progress))
    return "\n".join([*lines, f"{right} of {functions} functions are right. In each assignment, {HIDDEN}"])


def _step(progress: Progress) -> str:
    if progress.problem:
        return inline(progress.problem.strip().splitlines()[-1])
    following = progress.next_function
    return f"next: {following}  {_at(progress, following)}" if following else f"all right; {filled(progress)}"


def _at(progress: Progress, name: str) -> str:
    return inline(progress.source.location(name))


def filled(progress: Progress) -> str:
    """How many of the answers that are worth points are there, right or not."""
    there = [is_there for key, is_there in progress.source.answers.items() if key not in progress.practice]
    return f"answers: {sum(there)} of {len(there)} filled in"


def beginning(progress: Progress) -> str:
    """What holds for the whole file: imports that grading has not, why it stops, and what it prints."""
    path = inline(str(progress.source.path))
    parts = [
        f"{path}:{line} imports {inline(module)}, which is not there when your file is graded: what uses it fails."
        for line, module in progress.source.imports()
    ]
    parts += [quoted(progress.problem)] if progress.problem else []
    return "\n\n".join(parts + _printed(progress, FILE))


def section(progress: Progress, standing: Standing, full: int = 1) -> str:
    """One function: a line, and so many of its mistakes in full."""
    parts = [f"{MARKS[standing.state]} {standing.name:<24} {note(standing)}".rstrip()]
    shown = standing.own[:full]
    if shown:
        parts.append(block(standing, Audience.HOME, full))
    if full:
        parts += _printed(progress, *(result.test.name for result in shown or standing.test_results))
    if shown and (others := len(standing.own) - full) > 0:
        named = f"{progress.name}.{standing.name}{' --alone' * progress.alone}"
        parts.append(f"{others} more of its tests fail{'s' * (others == 1)}: check {named} to see all.")
    if shown:
        parts.append(f"See {LESSON}, section {standing.name}.")
    return "\n\n".join(parts)


def _printed(progress: Progress, *tests: str) -> list[str]:
    """What the first of these tests that printed anything printed."""
    test = next((name for name in tests if progress.printed.get(name, "").strip()), None)
    if test is None:
        return []
    lines = progress.printed[test].rstrip("\n").splitlines()
    more = [f"… and {len(lines) - MAX_PRINTED} more lines"] if len(lines) > MAX_PRINTED else []
    where = "while it was loaded" if test == FILE else f"in {inline(test)}"
    return [f"Your code printed {where}:", quoted("\n".join(lines[:MAX_PRINTED] + more))]


def ending(progress: Progress) -> str:
    """How much is done, and what comes next."""
    following = progress.next_function
    done = f"{len(progress.right)} of {len(progress.standings)} functions are right."
    told, is_wrong = _answers(progress)
    told = [f"{filled(progress).capitalize()}.", *told] if progress.source.answers else told
    if following is not None:
        return "\n\n".join([done, f"**Next:** {following} at {_at(progress, following)}.", *told])
    steps = ["mend the answers at ✗"] if is_wrong else []
    steps += [] if all(progress.source.answers.values()) else [f"the questions at {_at(progress, ANSWERS)}"]
    steps += [] if progress.alone else [f"hand in {progress.source.path.name}"]
    names = known_assignments()
    if after := names[names.index(progress.name) + 1 :]:
        steps.append(f"lesson {lesson_number(after[0])}, {after[0]}")
    now = f" Now {', then '.join(steps)}." if steps else ""
    return "\n\n".join([done, *told, f"**All functions are right!**{now}"])


def _answers(progress: Progress) -> tuple[list[str], bool]:
    """A line for each entry of ANSWERS of which something is known, and whether any is wrong."""
    faults = answers.faults(progress.answers, progress.forms) if progress.forms and progress.answers is not None else ()
    wrong = [f"✗ {inline(fault)}. See {_at(progress, key)}" for key, fault in faults]
    right = []
    for key, is_right, question in answers.practised(progress.answers, progress.practice):
        if is_right:
            right.append(f"✓ {key} is right. {inline(question.sentence)}.")
        else:
            wrong.append(f"✗ {key} is not right. course/{progress.name}.html has the reason.")
    return wrong + right, bool(wrong) or any(result.kind is Kind.ANSWER for result in progress.test_results)


def print_detail(console: Console, progress: Progress, only: Collection[str], brief: bool) -> None:
    """A line for each function and its first mistake in full. `only`: these functions alone, with all their mistakes;
    `brief`: the next function alone."""
    told = ", by hidden tests too." if progress.alone else ". This is the file to hand in."
    print_markdown(console, f"Checked {inline(str(progress.source.path))}{told}\n\n{beginning(progress)}")
    console.print()
    for standing in progress.standings:
        if (only and standing.name not in only) or (progress.problem and MARKS[standing.state] == "·"):
            continue
        full = len(standing.own) or 1 if only else int(not brief or standing.name == progress.next_function)
        line, _, told = section(progress, standing, full).partition("\n")
        print_markdown(console, line, " ")
        print_markdown(console, told, "     ")
    console.print()
    print_markdown(console, ending(progress), " ")
    if any(result.call and not result.passed for result in progress.test_results):
        module = ".".join(progress.source.path.with_suffix("").parts)
        console.print(f"To try a call: python -i -m {module} (`features` is in autograder.checks.inputs)", style="dim")
    if progress.next_function is None and not progress.alone:
        console.print(HIDDEN, style="dim")
