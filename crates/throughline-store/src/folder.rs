//! Folders and names that survive a power cut: a new name is only safe once its folder was synced.

use std::fs::{DirBuilder, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Creates a folder that only the user may read, with its parents, and syncs every folder that got
/// a new name in it.
pub fn private_folder(folder: &Path) -> io::Result<()> {
    if folder.as_os_str().is_empty() || folder.is_dir() {
        return Ok(());
    }
    let missing: Vec<&Path> = folder.ancestors().take_while(|one| !one.exists()).collect();
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    missing.iter().try_for_each(|one| sync_parent(one))
}

/// Syncs the folder that holds `path`, so that its name survives a power cut.
pub fn sync_parent(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(above) if above.as_os_str().is_empty() => sync_folder(Path::new(".")),
        Some(above) => sync_folder(above),
        None => Ok(()),
    }
}

/// Syncs a folder, so that the names in it survive a power cut.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    match File::open(folder)?.sync_all() {
        // Some file systems keep names without being asked and refuse to be asked.
        Err(error) if matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {}
        synced => return synced,
    }
    Ok(())
}

/// The path beside `path` whose name is longer by a suffix.
pub fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.to_owned().into_os_string();
    name.push(suffix);
    PathBuf::from(name)
}
