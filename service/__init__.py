"""Where the three libraries meet, and the doors to them."""
