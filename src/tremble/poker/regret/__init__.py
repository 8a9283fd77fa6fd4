"""Regret minimisation: CFR, CFR+ and discounted CFR."""
