"""What Suture keeps outside of the user's files: journal and history, trash, locks, approvals, refused edits, trust.

`backend` is the protocol that a workspace uses; the rest keeps these things in files of the user's state directory.
"""
