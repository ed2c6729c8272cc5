"""Where a hunk belongs. Pure: it takes texts and gives places, and never touches a file."""
