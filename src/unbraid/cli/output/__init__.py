"""What commands show: tables, trees, lines, bars, and the page beside them."""
