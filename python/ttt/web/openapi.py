"""The description of the API at /api, in the OpenAPI format."""

from functools import lru_cache
from typing import Any

from ttt.registry import games
from ttt.version import __version__
from ttt.web.limits import WebLimits
from ttt.web.service import FORMATS

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer", "minimum": 1}


def array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def either(*kinds: Schema) -> Schema:
    return {"anyOf": list(kinds)}


def nullable(kind: str) -> Schema:
    return {"type": [kind, "null"]}


def record(required: dict[str, Schema], **optional: Schema) -> Schema:
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **optional},
    }


def reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def told(kind: Schema, text: str) -> Schema:
    return {**kind, "description": text}


@lru_cache(maxsize=4)
def description(limits: WebLimits) -> Schema:
    """The whole document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "ttt",
            "version": __version__,
            "description": "Games of the tic-tac-toe family: rules, players, analysis, review. The"
            " server keeps no state: each request names its game and its moves.",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "paths": paths(limits),
        "components": {"schemas": schemas()},
    }


def schemas() -> Schema:
    side = {"enum": ["x", "o"]}
    score = {
        "value": told(nullable("string"), "win, draw or loss if known, else null"),
        "proven": {"type": "boolean"},
        "plies": told(nullable("integer"), "plies to the end of a won or lost game"),
        "exact": told({"type": "boolean"}, "false: the game ends in at most so many plies"),
        "evaluation": told(nullable("integer"), "an estimate in the game's own units"),
        "odds": told(nullable("number"), "the same as log-odds: 0.8 is a chance of 69%"),
        "x": told({"type": "number"}, "the chance that x wins, 0 to 1"),
    }
    cells = array({"type": "integer"})
    return {
        "Problem": record({"title": TEXT, "status": {"type": "integer"}, "detail": TEXT}),
        "Position": record(
            {
                "game": TEXT,
                "option_text": TEXT,
                "position": told(TEXT, "the position as text"),
                "start": told(TEXT, "the first position; empty if it is the usual one"),
                "moves": array(TEXT),
                "marks": told(TEXT, "x, o or . for each cell in reading order"),
                "turn": side,
                "ply": {"type": "integer"},
                "last": told(nullable("integer"), "the cell of the last move"),
                "legal": array(record({"move": TEXT, "cell": {"type": "integer"}})),
                "force": told(cells, "the boards on which the side to move may play"),
                "owners": told(TEXT, "x, o or . for each board; empty in most games"),
                "threats": array(
                    record(
                        {
                            "side": side,
                            "move": TEXT,
                            "cell": {"type": "integer"},
                            "lines": array(cells),
                        }
                    )
                ),
                "outcome": {
                    "type": ["object", "null"],
                    "properties": {
                        "winner": nullable("string"),
                        "termination": TEXT,
                        "result": TEXT,
                        "cells": cells,
                        "lines": array(cells),
                        "block_lines": array(cells),
                    },
                },
                "status": told(TEXT, "one sentence for people"),
            }
        ),
        "MoveScore": record(
            {
                "move": TEXT,
                **score,
                "game_score": told(nullable("integer"), "connect4: the exact score"),
                "line": told(array(TEXT), "the moves expected with best play"),
            }
        ),
        "Analysis": record(
            {
                "depth": {"type": "integer"},
                "nodes": {"type": "integer"},
                "seconds": {"type": "number"},
                "nodes_per_second": {"type": "number"},
                "proven": {"type": "boolean"},
                "moves": array(reference("MoveScore")),
                "chain": told(
                    {"type": ["array", "null"], "items": TEXT}, "qubic: a winning chain of threats"
                ),
            }
        ),
        "ReviewedMove": record(
            {
                "ply": WHOLE,
                "side": side,
                "move": TEXT,
                "label": TEXT,
                "loss": told({"type": "number"}, "the winning chance given away, 0 to 1"),
                "best": TEXT,
                "best_score": record(score),
                "score": record(score),
            }
        ),
        "Puzzles": record(
            {
                "grades": told(WHOLE, "the highest grade"),
                "puzzles": array(
                    record(
                        {
                            "id": TEXT,
                            "game": TEXT,
                            "grade": told(WHOLE, "1 is easy"),
                            "plies": told(WHOLE, "of the win, at most"),
                            "move": told(TEXT, "the only winning move"),
                            "line": told(array(TEXT), "the solution: solver and defence in turn"),
                            "position": TEXT,
                        }
                    )
                ),
            }
        ),
        "Attempt": record(
            {
                "correct": {"type": "boolean"},
                "solved": told({"type": "boolean"}, "whether the solution ends here"),
                "reply": told(nullable("string"), "the move of the defence"),
                "position": told(reference("Position"), "after the move and the reply"),
            }
        ),
        "Review": record(
            {
                "plies": {"type": "integer"},
                "reviewed": {"type": "integer"},
                "seconds": {"type": "number"},
                "moves": array(reference("ReviewedMove")),
                "turning_point": told(nullable("integer"), "the ply that decided the game"),
            }
        ),
    }


def paths(limits: WebLimits) -> Schema:
    where: dict[str, Schema] = {
        "options": told(
            either(TEXT, {"type": "object"}), 'options by name, or text such as "full=draw"'
        ),
        "position": told(TEXT, "first position as text; instead of options"),
        "moves": told(either(TEXT, array(TEXT)), f"at most {limits.moves}"),
    }
    game = {"game": {"enum": list(games())}}
    nodes = {**WHOLE, "maximum": limits.nodes}
    time = {"type": "number", "exclusiveMinimum": 0, "maximum": limits.seconds}
    search = {"nodes": nodes, "time": time}
    player = told(TEXT, "level-1 to level-10, any text of `ttt players`, or one of `guests`")
    query = [
        {"name": name, "in": "query", "required": name == "game", "schema": TEXT}
        for name in ("game", "options", "position", "moves")
    ]
    export = {"format": {"enum": list(FORMATS)}}
    return {
        "/api": {"get": answer("This document.")},
        "/api/games": {"get": answer("The games, their options and layouts; players; limits.")},
        "/api/games/{game}": {
            "get": answer(
                "A game under some options: rules, choices, layout.",
                parameters=[
                    {"name": "game", "in": "path", "required": True, "schema": game["game"]},
                    *query[1:3],
                ],
            )
        },
        "/api/position": {
            "get": answer("A position after some moves.", "Position", parameters=query),
            "post": answer("A position after some moves.", "Position", record(game, **where)),
        },
        "/api/parse": {
            "post": answer(
                "The game in a text: a saved game, a position or a list of moves.",
                "Position",
                record({"text": TEXT}, **game, options=where["options"]),
            )
        },
        "/api/export": {
            "post": answer(
                "The game as a saved game, moves, a position, or a drawing (text or SVG).",
                body=record(
                    {**game, **export},
                    **where,
                    headers=told({"type": "object"}, "headers of a saved game"),
                    result=told(TEXT, "of a game that was resigned: 1-0 or 0-1"),
                    size=told({"type": "number"}, "pixels of an SVG picture"),
                ),
            )
        },
        "/api/puzzles": {
            "get": answer(
                "Positions with exactly one winning move.",
                "Puzzles",
                parameters=[{"name": "game", "in": "query", "schema": TEXT}],
            )
        },
        "/api/puzzle": {
            "post": answer(
                "Judges the latest move of someone who solves a puzzle; the defence replies until"
                " the solution ends.",
                "Attempt",
                record({"id": TEXT, "moves": told(where["moves"], "solver and defence in turn")}),
            )
        },
        "/api/status": {"get": answer("The searches that are running.")},
        "/api/move": {
            "post": answer(
                f"A player's move, within {limits.move_seconds:g} s.",
                body=record(
                    {**game, "player": player}, **where, seed={"type": "integer", "minimum": 0}
                ),
                searches=True,
            )
        },
        "/api/analyse": {
            "post": answer(
                "The score of every legal move, as a stream of `info` events while the search"
                " deepens and one `result`.",
                "Analysis",
                record(game, **where, **search, depth={**WHOLE, "maximum": 255}),
                searches=True,
                stream=True,
            )
        },
        "/api/review": {
            "post": answer(
                "The value of every move of a game, last move first, as a stream of `info` events"
                " and one `result`. nodes are per position, time is for all.",
                "Review",
                record(game, **where, **search),
                searches=True,
                stream=True,
            )
        },
    }


def answer(
    summary: str,
    schema: str = "",
    body: Schema | None = None,
    parameters: list[Schema] | None = None,
    searches: bool = False,
    stream: bool = False,
) -> Schema:
    """An operation with its responses."""
    kind = "text/event-stream" if stream else "application/json"
    problem = {"content": {"application/problem+json": {"schema": reference("Problem")}}}
    found: Schema = {
        "summary": summary,
        "responses": {
            "200": {
                "description": summary,
                "content": {kind: {"schema": reference(schema) if schema else {}}},
            },
            "400": {"description": "invalid request: the reason is in `detail`", **problem},
            "403": {"description": "foreign Origin", **problem},
            "421": {"description": "foreign Host", **problem},
        },
    }
    if body is not None:
        found["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": {**body, "additionalProperties": False}}},
        }
        found["responses"] |= {
            "408": {"description": "the body did not arrive in time", **problem},
            "413": {"description": "the body is too large", **problem},
            "415": {"description": "not application/json", **problem},
        }
    if searches:
        found["responses"] |= {
            "429": {"description": "too many searches from this address; Retry-After", **problem},
            "503": {"description": "too many searches at once; Retry-After", **problem},
        }
    if parameters:
        found["parameters"] = parameters
    return found
