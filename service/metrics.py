"""Figures for Prometheus, in a registry of the application's own: one process may hold two applications."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, disable_created_metrics, generate_latest
from prometheus_client.gc_collector import GCCollector
from prometheus_client.process_collector import ProcessCollector

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

# Own-index searches take milliseconds, fetches seconds, long crawl streams minutes.
SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)


class Metrics:
    """What the HTTP door counts. Routes are counted by their template, so that ids do not make new series."""

    def __init__(self) -> None:
        # A second series beside each, which nobody reads and which doubles the page.
        disable_created_metrics()  # type: ignore[no-untyped-call]  # the library has no annotation there
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "citator_http_requests", "Requests answered.", ("method", "route", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "citator_http_seconds",
            "Seconds from the first byte of a request's head to the end of its answer.",
            ("route",),
            buckets=SECONDS,
            registry=self.registry,
        )
        self.running = Gauge("citator_http_running", "Requests being answered.", registry=self.registry)
        self.size = Gauge("citator_size", "What this installation holds.", ("what",), registry=self.registry)
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)

    def answered(self, *, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        self.requests.labels(method, route, str(status)).inc()
        self.seconds.labels(route).observe(seconds)

    def exposition(self) -> bytes:
        """All figures, as Prometheus reads them (`CONTENT_TYPE`)."""
        return generate_latest(self.registry)
