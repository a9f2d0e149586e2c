//! Metrics: how many requests there were and how long they took, in the text that Prometheus reads.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bounds of the buckets, in seconds.
const BOUNDS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1.0, 5.0];

/// Request metrics: what was counted since the server started.
pub(crate) struct RequestMetrics {
    started: Instant,
    routes: Mutex<BTreeMap<(String, String), RouteCount>>,
    pub(crate) connections: AtomicI64,
    pub(crate) listeners: AtomicI64,
}

/// What was counted of one route.
#[derive(Default)]
struct RouteCount {
    by_status: BTreeMap<u16, u64>,
    buckets: [u64; BOUNDS.len()],
    count: u64,
    seconds: f64,
}

impl RequestMetrics {
    pub(crate) fn new() -> Self {
        Self {
            started: Instant::now(),
            routes: Mutex::default(),
            connections: AtomicI64::new(0),
            listeners: AtomicI64::new(0),
        }
    }

    /// Counts an answer. `route` is the pattern and not the path, so that there are only so many.
    pub(crate) fn count(&self, method: &str, route: &str, status: u16, took: Duration) {
        let mut routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = routes.entry((route.to_owned(), method.to_owned())).or_default();
        *counted.by_status.entry(status).or_default() += 1;
        let seconds = took.as_secs_f64();
        for (bucket, bound) in counted.buckets.iter_mut().zip(BOUNDS) {
            *bucket += u64::from(seconds <= bound);
        }
        counted.count += 1;
        counted.seconds += seconds;
    }

    /// Everything, as text.
    pub(crate) fn text(&self) -> String {
        let mut page = String::new();
        let mut gauge = |name: &str, what: &str, value: String| {
            writeln!(page, "# HELP {name} {what}\n# TYPE {name} gauge\n{name} {value}")
                .expect("writing to a String cannot fail");
        };
        let uptime = self.started.elapsed().as_secs();
        gauge(
            "throughline_uptime_seconds",
            "Seconds since the server started.",
            uptime.to_string(),
        );
        let connections = self.connections.load(Ordering::Relaxed);
        gauge("throughline_connections", "Connections that are open.", connections.to_string());
        let listeners = self.listeners.load(Ordering::Relaxed);
        gauge(
            "throughline_event_listeners",
            "Clients that listen for changes.",
            listeners.to_string(),
        );
        let routes = self.routes.lock().unwrap_or_else(PoisonError::into_inner);
        page.push_str("# HELP throughline_requests_total Requests that were answered.\n");
        page.push_str("# TYPE throughline_requests_total counter\n");
        for ((route, method), counted) in routes.iter() {
            for (status, count) in &counted.by_status {
                writeln!(
                    page,
                    "throughline_requests_total{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}} {count}"
                )
                .expect("writing to a String cannot fail");
            }
        }
        let name = "throughline_request_seconds";
        page.push_str(&format!("# HELP {name} How long answers took.\n# TYPE {name} histogram\n"));
        for ((route, method), counted) in routes.iter() {
            let labels = format!("method=\"{method}\",route=\"{route}\"");
            for (bucket, bound) in counted.buckets.iter().zip(BOUNDS) {
                writeln!(page, "{name}_bucket{{{labels},le=\"{bound}\"}} {bucket}")
                    .expect("writing to a String cannot fail");
            }
            let (count, seconds) = (counted.count, counted.seconds);
            writeln!(
                page,
                "{name}_bucket{{{labels},le=\"+Inf\"}} {count}\n{name}_sum{{{labels}}} {seconds}\n\
                 {name}_count{{{labels}}} {count}"
            )
            .expect("writing to a String cannot fail");
        }
        page
    }
}
