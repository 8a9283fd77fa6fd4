"""Readers of certificates, one for each kind: what a file states, in the form that the proofs need."""
