//! Projects and their folders.

use serde::Serialize;
use throughline_engine::KnownProject;
use utoipa::ToSchema;

/// The projects that a home knows.
#[derive(Debug, Serialize, ToSchema)]
pub struct WireProjects {
    pub items: Vec<WireProject>,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct WireProject {
    pub key: String,
    pub roots: Vec<String>,
    pub memories: u64,
}

impl From<KnownProject> for WireProject {
    fn from(known: KnownProject) -> Self {
        Self { key: known.key.to_string(), roots: known.roots, memories: known.memories }
    }
}
