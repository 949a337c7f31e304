"""The APIs that agents already speak, over the same actions: one pipeline behind all of them."""
