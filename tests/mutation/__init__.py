"""Breaks conditions and limits of the code, one at a time, and lists the breaks that no test notices.

python -m tests.mutation                          # those of `place`; survivors are compared with survivors.toml
python -m tests.mutation place/hunks.py workspace # some files or folders
python -m tests.mutation agent --sample 40 --seed 3
make mutants                                      # those of sample.toml, as CI does; it names the tests that notice
"""
