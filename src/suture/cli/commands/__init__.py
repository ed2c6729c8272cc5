"""The subcommands of `suture`, one module each: `run` takes the options and the screen and returns the exit status."""
