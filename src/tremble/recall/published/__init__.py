"""The methods ``milp`` and ``bnb-digits``: maxmin strategies as published by Bošanský et al. (2017)."""
