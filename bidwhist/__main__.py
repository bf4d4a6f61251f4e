"""`python -m bidwhist` is `bw-arena`."""

import sys

from bidwhist.process.path import installed_first

if __name__ == "__main__":
    # `python -m` puts the working folder first, where a file may have the name of any module that is imported below.
    sys.path[:] = installed_first(sys.path)
    from bidwhist.cli import main

    main()
