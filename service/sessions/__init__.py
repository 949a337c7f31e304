"""Sessions: conversations whose every step is a record, which can be forked, gone back in, and taken along."""
