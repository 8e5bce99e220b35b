"""Settings for all tests."""

from hypothesis import HealthCheck, settings

# A slow machine is no fault of an example, and a strategy that writes files is slow by nature.
settings.register_profile("docasm", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("docasm")
