"""Changes as text: unified diffs, lines in pairs, patches in other forms."""
