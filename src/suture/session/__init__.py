"""One agent at work: what waits for people, subscribers and language servers stands here, and nowhere else."""
