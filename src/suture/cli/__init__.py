"""The programs: `apply_patch`, a drop-in for the program of that name, and `suture`. Only they print."""
