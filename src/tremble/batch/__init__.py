"""Many games at a time, on processes of this machine or on any executor."""
