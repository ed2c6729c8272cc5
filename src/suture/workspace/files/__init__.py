"""File systems: the interface that workspaces use, the disk and a dictionary behind it, and how files are opened.

`open_files` chooses the implementation. No call follows a symbolic link, unless its documentation says so.
"""
