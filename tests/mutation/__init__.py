"""Breaks every condition and limit of the engine, one at a time, and lists the breaks that no test notices.

python -m tests.mutation                         # everything; survivors are compared with survivors.toml
python -m tests.mutation place/hunks.py apply   # some files or folders
python -m tests.mutation --sample 40 --seed 3    # some mutants of everything
make mutants                                     # those in sample.txt, as CI does: the tests must notice each of them
"""
