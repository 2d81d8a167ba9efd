"""Where the scoring loop runs: this process, its threads, or other processes."""
