"""What people look at: terminal tables, drawings of trees, and the records behind ``--format json`` and ``csv``."""
