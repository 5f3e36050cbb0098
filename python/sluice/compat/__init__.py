"""Other libraries' names, for programs that were written with them."""
