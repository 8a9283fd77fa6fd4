"""Judge strategies from any source: certify, audit, compare, explain, respond."""
