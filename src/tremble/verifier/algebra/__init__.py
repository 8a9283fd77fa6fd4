"""The verifier's own algebra: polynomials, power series and elimination modulo primes, shared with no solver."""
