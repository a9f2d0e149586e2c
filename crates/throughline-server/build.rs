//! Makes a table of the page's built files, so that they are part of the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    let folder = PathBuf::from(variable("CARGO_MANIFEST_DIR")).join("page/dist");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    collect(&folder, &folder, &mut files);
    files.sort();
    let mut table = "/// The files of the page: their path, and what they hold.\n\
        pub(crate) static FILES: &[(&str, &[u8])] = &[\n"
        .to_owned();
    for (name, path) in &files {
        writeln!(table, "    ({name:?}, include_bytes!({:?})),", path.display().to_string())
            .expect("writing to a String cannot fail");
    }
    table.push_str("];\n");
    let out = PathBuf::from(variable("OUT_DIR")).join("files.rs");
    std::fs::write(out, table).expect("the table can be written");
}

#[expect(clippy::disallowed_methods, reason = "this is how cargo tells a build script where it is")]
fn variable(name: &str) -> String {
    std::env::var(name).expect("cargo sets it")
}

/// Every file below a folder, by its path from the root with slashes.
fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if hidden {
            continue;
        }
        if path.is_dir() {
            collect(root, &path, files);
        } else if let Ok(name) = path.strip_prefix(root) {
            let parts: Vec<_> = name.iter().map(|part| part.to_string_lossy()).collect();
            files.push((parts.join("/"), path.clone()));
        }
    }
}
