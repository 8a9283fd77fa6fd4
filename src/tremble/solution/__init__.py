"""What is claimed, what is proven, and the files that say so."""
