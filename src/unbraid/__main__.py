"""`python -m unbraid`: the command line."""

from unbraid.cli import main

if __name__ == "__main__":
    main(prog_name="unbraid")
