"""Mutation testing: puts small faults into the program and counts those that its tests notice.

A mutant is one changed statement: a comparison, sign or number changed, a call left out, two
arguments swapped; or one chosen by hand. All mutants are built into a copy of the tree under
build/mutation. For each, the tests that should notice it run until one fails. A mutant that no test
notices has survived; one that makes no difference to users is equivalent, if
tests/mutation/equivalent.txt says why.

A stopped run resumes: mutants that were killed before are not run again, unless their statement has
changed. `--again` runs all.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).parent))

from mutation.copy import make_copy
from mutation.mutants import Mutant, Target, all_mutants, flat, read_equivalent, read_targets
from mutation.run import run_tests

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build/mutation"
RESULTS = FOLDER / "results.jsonl"
SLOWEST = 1800.0
"""Seconds for all tests without a mutant."""
UNKNOWN = 900.0
"""Seconds for the tests of a mutant if their usual time is not known."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "--only", metavar="PATH", default="", help="mutants of paths that contain this text"
    )
    parser.add_argument("--seed", type=int, default=1, help="another choice of mutants")
    parser.add_argument(
        "--part", type=float, default=1.0, help="this part of the mutants, at random"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--again", action="store_true", help="forget the results of earlier runs")
    parser.add_argument(
        "--trust", action="store_true", help="do not first run the tests without a mutant"
    )
    parser.add_argument("--list", action="store_true", help="list the mutants and stop")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    given = parser.parse_args()
    targets = read_targets()
    if not any(given.only in target.path for target in targets):
        parser.error(f"--only {given.only}: no such path in tests/mutation/targets.txt")
    mutants, stale = all_mutants(ROOT, targets, given.seed)
    wanted = part_of(mutants, given.only, given.part)
    for text in stale:
        print(f"out of date: {text}", file=sys.stderr)
    if given.list:
        print("\n".join(f"{mutant.rule}: {mutant.key}" for mutant in wanted))
        return 0
    report = test_mutants(mutants, wanted, targets, given)
    report["stale"] = stale
    print(json.dumps(report, indent=1) if given.json else text_of(report))
    return int(bool(stale) or report["score"] < 0.9)


def part_of(mutants: list[Mutant], only: str, part: float) -> list[Mutant]:
    """The mutants of a path, or a part of them; those chosen by hand always."""
    return [
        mutant
        for mutant in mutants
        if only in mutant.path and (mutant.rule == "chosen" or mutant.number < part * 2**31)
    ]


def test_mutants(
    mutants: list[Mutant], wanted: list[Mutant], targets: list[Target], given: argparse.Namespace
) -> dict[str, Any]:
    """Builds the copy with all mutants, runs the tests of those wanted, and returns the report."""
    tests = {target.path: target.tests for target in targets}
    equivalent = read_equivalent()
    FOLDER.mkdir(parents=True, exist_ok=True)
    killed = {} if given.again else earlier_kills()
    RESULTS.write_text("".join(json.dumps(entry) + "\n" for entry in killed.values()))
    say(f"building a copy with {len(mutants)} mutants")
    placed, rejected = make_copy(ROOT, FOLDER / "tree", mutants)
    inside = {entry.mutant.key for entry in placed} - equivalent.keys()
    todo = [mutant for mutant in wanted if mutant.key in inside and mutant.key not in killed]
    groups = {tests[mutant.path] for mutant in todo}
    limits = dict.fromkeys(groups, UNKNOWN) if given.trust else usual_times(groups)
    with ThreadPoolExecutor(given.processes) as pool, RESULTS.open("a") as results:
        jobs = {
            pool.submit(
                run_tests, FOLDER / "tree", mutant.number, own := tests[mutant.path], limits[own]
            ): mutant
            for mutant in todo
        }
        for count, job in enumerate(as_completed(jobs), 1):
            mutant, verdict = jobs[job], job.result()
            killed[mutant.key] = entry_of(mutant, **verdict._asdict())
            results.write(json.dumps(killed[mutant.key]) + "\n")
            results.flush()
            say(f"{count}/{len(todo)} {verdict.outcome} ({verdict.seconds} s): {mutant.key}")
    entries = []
    for mutant in wanted:
        if mutant.key in equivalent:
            entries.append(entry_of(mutant, outcome="equivalent", reason=equivalent[mutant.key]))
        elif mutant in rejected:
            entries.append(entry_of(mutant, outcome="does not compile"))
        else:
            entries.append({**killed[mutant.key], "line": mutant.statement.first_line})
    counts = Counter(entry["outcome"] for entry in entries)
    judged = counts["killed"] + counts["survived"]
    score = counts["killed"] / judged if judged else 1.0
    return {"score": round(score, 4), "counts": dict(counts), "mutants": entries}


def usual_times(groups: set[tuple[str, ...]]) -> dict[tuple[str, ...], float]:
    """A time limit for each group of tests: five times what they take without a mutant, and a
    minute. SystemExit if they fail without one."""
    if not groups:
        return {}
    tests = tuple(dict.fromkeys(test for own in sorted(groups) for test in own))
    say("running the tests without a mutant")
    times = FOLDER / "times.xml"
    verdict = run_tests(FOLDER / "tree", 0, (*tests, f"--junitxml={times}"), SLOWEST)
    if verdict.outcome != "survived":
        sys.exit(f"the tests fail without a mutant: {verdict.by}")
    spent: dict[str, float] = defaultdict(float)
    for case in ElementTree.parse(times).iter("testcase"):
        spent[f"{case.attrib['classname'].replace('.', '/')}.py"] += float(case.attrib["time"])
    return {
        own: 60 + 5 * sum(spent[file] for file in {test.partition("::")[0] for test in own})
        for own in groups
    }


def earlier_kills() -> dict[str, dict[str, Any]]:
    """The mutants that were killed in earlier runs, by key."""
    if not RESULTS.exists():
        return {}
    entries = [json.loads(line) for line in RESULTS.read_text().splitlines()]
    return {entry["key"]: entry for entry in entries if entry["outcome"] == "killed"}


def entry_of(mutant: Mutant, **ending: Any) -> dict[str, Any]:
    """A mutant and how it ended, ready for JSON."""
    return {
        "key": mutant.key,
        "path": mutant.path,
        "line": mutant.statement.first_line,
        "rule": mutant.rule,
        "original": flat(mutant.statement.text),
        "mutated": flat(mutant.mutated),
        **ending,
    }


def text_of(report: dict[str, Any]) -> str:
    """The report for people: the survivors, the equivalent mutants, and a table by layer."""
    lines = []
    for outcome in ("survived", "equivalent", "does not compile"):
        chosen = [entry for entry in report["mutants"] if entry["outcome"] == outcome]
        if chosen:
            lines += [f"{outcome}:", ""]
        for entry in sorted(chosen, key=lambda entry: (entry["path"], entry["line"])):
            lines += [f"  {entry['path']}:{entry['line']} ({entry['rule']})"]
            lines += [f"    - {entry['original']}", f"    + {entry['mutated']}"]
            lines += [f"    {entry['reason']}"] if "reason" in entry else []
        lines += [""] if chosen else []
    layers = sorted({layer(entry) for entry in report["mutants"]})
    names = ("killed", "survived", "equivalent", "does not compile")
    lines.append(f"{'layer':28}" + "".join(f"{name:>18}" for name in names))
    for name in [*layers, "all"]:
        own = [entry for entry in report["mutants"] if name in ("all", layer(entry))]
        counts = Counter(entry["outcome"] for entry in own)
        lines.append(f"{name:28}" + "".join(f"{counts[outcome]:18}" for outcome in names))
    lines += ["", f"{report['score']:.1%} of the mutants that matter were noticed"]
    return "\n".join(lines)


def layer(entry: dict[str, Any]) -> str:
    return str(Path(entry["path"]).parent)


def say(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
