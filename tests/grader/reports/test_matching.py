"""From scores to people: whatever an export says of a person finds their row, and nobody is lost without a word."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from autograder import cli
from autograder.batch.gradebook import Gradebook
from autograder.submission import Person, Problem, Submission
from tests.grader.support.rows import PACKED, submission_file

NAMES = [("Ada", "Lovelace"), ("Hedy", "Lamarr"), ("Alan", "Turing"), ("José", "Núñez")]
LOGINS = ["alovelace", "hlamarr", "aturing", "jnunez"]


def roster(folder: Path, logins: list[str] = LOGINS, points: str = "20.00") -> Path:
    rows = [
        f'"{last}, {first}",{n},{10000 + n},{login},A,'
        for n, ((first, last), login) in enumerate(zip(NAMES, logins, strict=True), 1)
    ]
    path = folder / "roster.csv"
    path.write_text(
        "\n".join(
            ["Student,ID,SIS User ID,SIS Login ID,Section,rope (7)", f"    Points Possible,,,,,{points}", *rows, ""]
        ),
        "utf-8",
    )
    return path


def class_of(folder: Path, *people: tuple[str, Person], **changes: Submission) -> Path:
    """OUT of a class in which each of these handed in `rope` and has 3.5 points."""
    out = folder / "out"
    handed_in = [
        replace(submission_file(student, f"x = {n}"), person=person) for n, (student, person) in enumerate(people)
    ]
    with Gradebook.writing(out) as book:
        book.take_in([changes.get(one.student, one) for one in handed_in], {"rope": "suite-1"})
        book.add((key, PACKED, "") for key in book.to_grade())
    return out


def export(out: Path, *options: str) -> Result:
    return CliRunner().invoke(cli.main, ["canvas", str(out), "--roster", str(out.parent / "roster.csv"), *options])


def scores(out: Path) -> list[str]:
    with (out / "canvas.csv").open(encoding="utf-8", newline="") as file:
        return [row[-1] for row in csv.reader(file)][2:]


KNOWN_BY = {
    "the university's number": lambda n: Person("Gradescope", email=f"{n}@elsewhere.example", sid=str(10001 + n)),
    "the address, by its login": lambda n: Person("Gradescope", email=f"{LOGINS[n]}@example.edu"),
    "the name alone": lambda n: Person("Gradescope", email=f"x{n}@elsewhere.example", name=" ".join(NAMES[n])),
    "Canvas's number": lambda n: Person("Canvas", number=str(n + 1), name=f"somebody{n}"),
    "the login on GitHub Classroom": lambda n: Person("GitHub Classroom", login=LOGINS[n]),
}


@pytest.mark.parametrize("by", KNOWN_BY)
def test_everybody_is_found_by_what_the_platform_says(tmp_path: Path, by: str) -> None:
    """One address in the roster tells that its logins are those of that domain."""
    people = [KNOWN_BY[by](n) for n in range(4)]
    out = class_of(tmp_path, *((one.email or one.login or one.name, one) for one in people))
    roster(tmp_path, ["alovelace@example.edu", *LOGINS[1:]])
    done = export(out)
    assert done.exit_code == 0 and done.output.startswith("4 scores in"), done.output
    assert scores(out) == ["3.5"] * 4 and len(done.output.splitlines()) == 1


@pytest.mark.parametrize(("worth", "wanted"), [("10.00", "1.75"), ("100", "17.5"), ("20", "3.5"), ("7,5", "1.3125")])
def test_scores_are_scaled_where_somebody_says_so(tmp_path: Path, worth: str, wanted: str) -> None:
    out = class_of(tmp_path, ("alovelace", Person("Canvas", number="1")))
    roster(tmp_path, points=f'"{worth}"')
    assert worth == "20" or (export(out).exit_code == 2 and not (out / "canvas.csv").exists())
    assert export(out, "--scale").exit_code == 0
    assert scores(out)[0] == wanted


@pytest.mark.parametrize("here", ["gh-{}", "{}@private.example", "Student {}"])
def test_a_table_of_two_columns_says_who_is_who(tmp_path: Path, here: str) -> None:
    """Such as Classroom's classroom_roster.csv, with further columns and those who never joined."""
    names = [here.format(n) for n in range(4)]
    out = class_of(tmp_path, *((name, Person()) for name in names))
    roster(tmp_path)
    rows = [
        f'"{login}","{name}","","{number}"' for number, (login, name) in enumerate(zip(LOGINS, names, strict=True), 900)
    ]
    (tmp_path / "map.csv").write_text(
        "\n".join(['"identifier","github_username","name","github_id"', *rows, '"grace","","",""', ""]), "utf-8"
    )
    assert export(out).exit_code == cli.WRONG_USE
    done = export(out, "--map", str(tmp_path / "map.csv"))
    assert done.exit_code == 0 and scores(out) == ["3.5"] * 4, done.output


def test_what_a_table_says_of_two_people_counts_for_none(tmp_path: Path) -> None:
    out = class_of(tmp_path, ("gh", Person()), ("hlamarr", Person()))
    roster(tmp_path)
    (tmp_path / "map.csv").write_text("identifier,github_username\nalovelace,gh\naturing,gh\n")
    done = export(out, "--map", str(tmp_path / "map.csv"))
    assert scores(out) == ["", "3.5", "", ""] and "more than once: gh." in done.output and "--map" in done.output


def classroom_roster(folder: Path, addresses: list[str]) -> str:
    rows = [f'"{address}","gh-{n}"' for n, address in enumerate(addresses)]
    (folder / "map.csv").write_text("\n".join(['"identifier","github_username"', *rows, ""]), "utf-8")
    return str(folder / "map.csv")


def test_addresses_of_classroom_find_bare_logins(tmp_path: Path) -> None:
    """Where the roster has no address itself: whoever gave the table knows whose addresses are in it. One elsewhere
    says nothing."""
    out = class_of(tmp_path, *((f"gh-{n}", Person("GitHub Classroom", login=f"gh-{n}")) for n in range(4)))
    roster(tmp_path)
    done = export(
        out,
        "--map",
        classroom_roster(tmp_path, [*(f"{login}@example.edu" for login in LOGINS[:3]), "jnunez@private.example"]),
    )
    assert done.exit_code == 0 and scores(out) == ["3.5", "3.5", "3.5", ""] and "more than once: gh-3." in done.output


def test_a_roster_with_addresses_knows_its_domain_better_than_a_table(tmp_path: Path) -> None:
    out = class_of(tmp_path, *((f"gh-{n}", Person("GitHub Classroom", login=f"gh-{n}")) for n in range(4)))
    roster(tmp_path, ["alovelace@example.edu", *LOGINS[1:]])
    done = export(out, "--map", classroom_roster(tmp_path, [f"{login}@private.example" for login in LOGINS]))
    assert done.exit_code == cli.WRONG_USE and "none of 4 students" in done.output


def test_nobody_found_is_an_error_that_is_said_once(tmp_path: Path) -> None:
    out = class_of(
        tmp_path, *((f"{login}@example.edu", Person("Gradescope", email=f"{login}@example.edu")) for login in LOGINS)
    )
    roster(tmp_path)
    done = export(out)
    assert done.exit_code == cli.WRONG_USE and len(done.output.splitlines()) == 1
    assert (
        "none of 4 students is in roster.csv" in done.output
        and "@example.edu: write the address of one student" in done.output
    )
    assert "--map" in done.output and not (out / "canvas.csv").exists()


def test_anonymous_names_are_nobodys(tmp_path: Path) -> None:
    out = class_of(
        tmp_path, *((f"anon_x{n}Z", Person("Canvas", number=f"x{n}Z", name=f"anon_x{n}Z")) for n in range(2))
    )
    roster(tmp_path)
    done = export(out)
    assert (
        done.exit_code == cli.WRONG_USE
        and "download the submissions again" in done.output
        and "--map" not in done.output
    )


def test_who_handed_in_nothing_is_named(tmp_path: Path) -> None:
    out = class_of(tmp_path, *((login, Person()) for login in LOGINS[:2]))
    with roster(tmp_path).open("a", encoding="utf-8") as file:
        file.write('"Student, Test",99,,0123456789abcdef,A,\n')  # Canvas's own, which is nobody
    assert "Without a submission, 2 of roster.csv: Núñez, José; Turing, Alan." in export(out).output


def test_a_zero_stays_blank_until_a_person_has_looked(tmp_path: Path) -> None:
    """Whether it could not be read, or is an untouched stub. A comment is a look as well; the others' scores go out all
    the same."""
    unread = Submission("hlamarr", "rope", "hlamarr.rar", "0", (), problem=Problem("It is no Python.", "It is a rar."))
    out = class_of(tmp_path, *((login, Person()) for login in LOGINS), hlamarr=unread)
    with Gradebook.writing(out) as book:
        key = next(row.key for row in book.rows() if row.submission.student == "aturing")
        book.add([(key, replace(PACKED, score=0.0), "")])
    roster(tmp_path)
    done = export(out)
    assert scores(out) == ["3.5", "", "", "3.5"] and "2 scores in" in done.output
    assert "Left blank, 2 who have 0: aturing, hlamarr. Look at them" in done.output
    for student in ("hlamarr", "aturing"):
        said = CliRunner().invoke(
            cli.main, ["adjust", str(out), student, "rope", "--comment", "Seen: an archive of pictures."]
        )
        assert said.exit_code == 0, said.output
    done = export(out)
    assert scores(out)[2] == "0" and scores(out)[1] != "" and "Left blank" not in done.output
