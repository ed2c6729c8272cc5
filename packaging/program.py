"""The program `suture` as one file for those who have no Python, made with PyInstaller (see docs/releasing.md)."""

from suture.cli.start import main

if __name__ == "__main__":
    main()
