"""The weights of a network as arrays: rows x units, floating point until they are written."""

from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ttt.storage.atomic import write_whole
from ttt.storage.weights import read_weights, shipped_path
from ttt.training.curricula import Curriculum

Array = npt.NDArray[Any]

SCALE = 1024
"""Weights files store whole numbers: SCALE stands for a weight of 1."""


def training_module(game: str) -> Any:
    """The compiled loss and gradients of a game."""
    return import_module(f"ttt_core.training.{game}")


def weights_shape(game: str) -> tuple[int, int]:
    """Rows and units of a game's network."""
    shape: tuple[int, int] = training_module(game).SHAPE
    return shape


def random_weights(curriculum: Curriculum, seed: int) -> Array:
    """Random weights to start from. Added and subtracted units are equal in pairs, so every output
    is 0."""
    rng = np.random.default_rng(seed)
    rows, units = weights_shape(curriculum.game)
    half = rng.normal(0, 0.03, (rows, units // 2)).astype(np.float32)
    half[curriculum.class_rows :] = 0
    return np.concatenate([half, half], 1)


def shipped_weights(curriculum: Curriculum) -> Array:
    """The shipped weights of a network."""
    found = read_weights(shipped_path(curriculum.name), curriculum.name)
    return np.array(found.weights, np.float32).reshape(weights_shape(curriculum.game)) / SCALE


def quantise(weights: Array) -> Array:
    """The weights as the core takes them: multiples of 1 / SCALE, in 16 bits."""
    most = 32_000 / SCALE
    return np.ascontiguousarray(np.round(np.clip(weights, -most, most) * SCALE), np.int16)


def save_array(path: Path, array: Array) -> None:
    """Writes an array atomically."""
    content = BytesIO()
    np.save(content, array)
    write_whole(path, [content.getvalue()])
