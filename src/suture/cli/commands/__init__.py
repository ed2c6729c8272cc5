"""The sub-commands of `suture`, a module each: `run` takes the arguments and the screen, and gives the exit status."""
