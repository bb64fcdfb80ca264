"""`python -m ttt.jobs`: a worker process."""

from ttt.jobs.worker import main

if __name__ == "__main__":
    main()
