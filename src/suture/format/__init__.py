"""Reading and writing edits as text: the envelope, what models put around it, shell commands, instructions."""
