"""pgx's side of the batch bench: python pgx_worker.py GAME SIZE STEPS, in an environment with pgx.
Reads the CPU seconds of each sample from stdin and writes plies per second.

All steps of a run are one compiled loop. Moves are drawn from the legal ones as in pgx's own
benchmark, and its own wrapper restarts finished games.
"""

import os
import sys
from time import process_time
from typing import Any

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import jax
import jax.numpy as jnp
import pgx
from pgx.experimental.wrappers import auto_reset


def main() -> None:
    game, size, steps = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    env = pgx.make(game)
    begin, step = jax.vmap(env.init), jax.vmap(auto_reset(env.step, env.init))

    def play(key: Any) -> Any:
        first, key = jax.random.split(key)

        def once(_: Any, carried: Any) -> Any:
            state, key = carried
            key, draw, renew = jax.random.split(key, 3)
            logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
            chosen = jax.random.categorical(draw, logits, axis=-1)
            return step(state, chosen, jax.random.split(renew, size)), key

        state = begin(jax.random.split(first, size))
        return jax.lax.fori_loop(0, steps, once, (state, key))

    compiled, seed = jax.jit(play), 0
    jax.block_until_ready(compiled(jax.random.PRNGKey(seed)))
    for line in sys.stdin:
        fastest, end = float("inf"), process_time() + float(line)
        while (start := process_time()) < end or fastest == float("inf"):
            seed += 1
            jax.block_until_ready(compiled(jax.random.PRNGKey(seed)))
            fastest = min(fastest, process_time() - start)
        print(size * steps / fastest, flush=True)


if __name__ == "__main__":
    main()
