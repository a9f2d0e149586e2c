//! Throughline over HTTP.
