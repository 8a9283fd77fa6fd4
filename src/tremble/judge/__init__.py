"""Functions that judge strategies from any source: certify, audit, compare, explain, compute best responses."""
