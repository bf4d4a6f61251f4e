"""`python -m bidwhist` is `bw-arena`."""

from bidwhist.cli import main

if __name__ == "__main__":
    main()
