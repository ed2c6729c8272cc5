"""What language servers and linters say of an edit that was applied: the errors that it introduced, and no others.

`report` has the values and the protocol, `languages` the language servers, `command` the linters, `answer` the words
for a model. An edit is never held back by any of them: what can't be told in time is unknown, and nothing raises.
"""
