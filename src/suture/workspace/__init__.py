"""The disk: which paths may be touched, what a patch would make of them, and all of it or none of it."""
