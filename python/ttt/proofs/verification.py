"""Checks the leaves of a nine-board certificate by solving them again."""

from collections.abc import Generator
from random import Random

from ttt.jobs import run_jobs
from ttt.solvers.certificate import BadCertificate, Certificate, Record, board_of
from ttt.solvers.nineboard import conditions

SLACK = 4
"""A solver of another version may take this many times the nodes of the certificate."""
FEW = 1_000_000
"""... and these more."""


def sample_leaves(
    leaves: list[tuple[str, Record]], count: int | None, seed: int
) -> list[tuple[str, Record]]:
    """Random leaves, each once; None: all of them."""
    if count is None or count >= len(leaves):
        return leaves
    return Random(seed).sample(leaves, count)


def solve_again(
    certificate: Certificate,
    leaves: list[tuple[str, Record]],
    processes: int = 1,
    cluster: str | None = None,
) -> Generator[int, None, None]:
    """Solves leaves of a certificate and yields the nodes of each. Raises BadCertificate if one is
    not won or, with the solver that made the certificate, if its move or nodes are different."""
    same = certificate.conditions == conditions(certificate.conditions.hash)
    jobs = []
    for position, record in leaves:
        nodes = record.nodes or 0
        jobs.append({"leaf": position, "nodes": nodes + 1 if same else SLACK * nodes + FEW})
    settings = {"move_nodes": 1, "hash": certificate.conditions.hash}
    results = run_jobs(
        "ttt.proofs.nineboard:worker", settings, jobs, processes=processes, cluster=cluster
    )
    try:
        for index, (value, nodes, move) in results:
            position, record = leaves[index]
            text = board_of(position).text()
            if value != "win":
                raise BadCertificate(f"not proven within {jobs[index]['nodes']:,} nodes: {text}")
            if same and (nodes, move) != (record.nodes, record.move):
                raise BadCertificate(
                    f"move {record.move} and {record.nodes:,} nodes in the certificate, but {move}"
                    f" and {nodes:,} now: {text}"
                )
            yield nodes
    finally:
        results.close()
