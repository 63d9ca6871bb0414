"""A run as events of the AG-UI protocol, for front ends that speak it."""
