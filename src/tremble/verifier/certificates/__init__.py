"""Certificates, a file for each kind, which writes it as plain data and reads it in the form that the proofs need."""
