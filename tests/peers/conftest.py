"""The peers warn at import and use what is deprecated: none of our business here."""

import warnings


def pytest_configure(config):
    config.addinivalue_line("filterwarnings", "ignore")
    warnings.simplefilter("ignore")
