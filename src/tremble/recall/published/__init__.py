"""The methods ``milp`` and ``bnb-digits``, which compute maxmin strategies as published by Bošanský et al. (2017)."""
