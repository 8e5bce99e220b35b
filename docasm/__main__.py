"""`python -m docasm`."""

from docasm.cli import main

if __name__ == "__main__":
    main()
