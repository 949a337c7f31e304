"""The way out of this network that the settings name."""

import ssl

from crawler import Bypass, Proxies, Proxy
from service.failures import BadSetting
from service.settings import Settings


def proxies_of(settings: Settings) -> Proxies:
    """The proxy, if one is set up, and what is reached without it.

    Raises:
        BadSetting: one of the two cannot be used. The message repeats nothing of the proxy's address.
    """
    try:
        bypass = Bypass.of(settings.proxy_bypass)
    except ValueError as error:
        raise BadSetting(f"CITATOR_PROXY_BYPASS: {error}") from error
    authorities = settings.certificate_authorities
    for file in authorities:
        try:
            ssl.create_default_context(cafile=file)
        except OSError as error:
            raise BadSetting(f"CITATOR_CERTIFICATE_AUTHORITIES: {file} holds no certificates (PEM): {error}") from error
    if settings.proxy is None:
        return Proxies(bypass=bypass, authorities=authorities)
    try:
        proxy = Proxy.of(settings.proxy.get_secret_value(), looks_up=settings.proxy_looks_up)
        return Proxies(proxy, bypass, authorities)
    except ValueError as error:
        raise BadSetting(f"CITATOR_PROXY: {error}") from error
