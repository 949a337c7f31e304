"""Evidence as one file that stands without us: see `docs/formats/bundle.md`."""
