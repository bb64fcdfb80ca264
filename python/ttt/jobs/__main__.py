"""`python -m ttt.jobs`: a worker process."""

from ttt.jobs.worker import main

main()
