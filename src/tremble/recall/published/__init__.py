"""Maximin strategies by the published algorithms."""
