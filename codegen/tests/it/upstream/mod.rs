//! Tests with Kubernetes' own documents, which need `UPSTREAM_DIR`.

mod damaged;
