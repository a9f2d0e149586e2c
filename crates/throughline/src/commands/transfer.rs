//! `export`, `import`: memory comes and goes as files.

use std::io::{BufWriter, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use serde::Serialize;
use throughline_core::scope::Level;
use throughline_core::text::plural;
use throughline_engine::{Context, Error, Filter, ImportSource, Imported, export_markdown};

use crate::args::{self, ExportFormat};
use crate::settings::Settings;
use crate::ui::{GOOD, Ui, paint, safe, warn_of};

#[derive(Debug, Serialize)]
struct WireExported {
    format: &'static str,
    file: String,
    batches: Option<usize>,
    memories: Option<usize>,
}

pub(super) fn export(
    args: &args::Export,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let engine = settings.engine()?;
    let bar = ui.progress("exporting batches");
    let write = |out: &mut dyn std::io::Write| -> anyhow::Result<(Option<usize>, Option<usize>)> {
        match args.format {
            ExportFormat::Jsonl => {
                let written =
                    engine.copying().export_log(out, &mut |done| bar.set_position(done as u64))?;
                Ok((Some(written), None))
            }
            ExportFormat::Markdown => {
                let context = settings.context()?;
                let reader = engine.now_reader()?;
                let held = engine.looking(&context).list(&*reader, &Filter::default())?;
                let title = format!("Memory of {}", context.project.name);
                out.write_all(export_markdown(&title, &held.items).as_bytes())?;
                Ok((None, Some(held.items.len())))
            }
        }
    };
    if let Some(path) = &args.output {
        check_free(path, settings)?;
    }
    let Some(path) = &args.output else {
        let mut out = BufWriter::new(std::io::stdout().lock());
        write(&mut out)?;
        out.flush()?;
        warn_of(&throughline_engine::left_out());
        return Ok(ExitCode::SUCCESS);
    };
    // Written beside and renamed: there is never half an export under the name.
    let folder = path.parent().filter(|at| !at.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        anyhow::bail!(Error::no_folder_for(path, folder));
    }
    // The name of the file beside is nobody's business.
    let refused = |error: std::io::Error| std::io::Error::from(error.kind());
    let file = tempfile::NamedTempFile::new_in(folder)
        .map_err(refused)
        .with_context(|| format!("cannot write to {}", folder.display()))?;
    let mut out = BufWriter::new(file);
    let (batches, memories) = write(&mut out)?;
    let file = out.into_inner().map_err(|error| error.into_error())?;
    file.as_file().sync_all()?;
    file.persist(path).with_context(|| path.display().to_string())?;
    bar.finish_and_clear();
    let format = match args.format {
        ExportFormat::Jsonl => "jsonl",
        ExportFormat::Markdown => "markdown",
    };
    let wire = WireExported { format, file: path.display().to_string(), batches, memories };
    ui.answer(&wire, || {
        let batches = batches.map(|count| plural(count, "batch"));
        let held = batches.or(memories.map(|count| plural(count, "memory"))).unwrap_or_default();
        paint(GOOD, format!("Exported {held} to {}", shown(path)))
    })
}

/// An export takes an older export's place, no other file's, and nothing of the memory's own.
fn check_free(path: &Path, settings: &Settings) -> anyhow::Result<()> {
    if path.symlink_metadata().is_ok() && !is_export(path) {
        let message = format!(
            "{} exists already and is not a Throughline export; choose another name",
            shown(path)
        );
        return Err(Error::NotPossible(message).into());
    }
    let folder = path.parent().filter(|at| !at.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let (Ok(folder), Ok(home)) = (folder.canonicalize(), settings.home.canonicalize())
        && folder.starts_with(&home)
    {
        let message = format!("{} is inside the home folder of Throughline itself", shown(path));
        return Err(Error::NotPossible(message).into());
    }
    Ok(())
}

/// Whether a file is one that `export` wrote, or an empty one.
fn is_export(path: &Path) -> bool {
    let begins: [&[u8]; 2] = [br#"{"format":"throughline-log""#, b"# Memory of "];
    let mut start = Vec::new();
    let is_file = path.symlink_metadata().is_ok_and(|of| of.is_file());
    let read =
        std::fs::File::open(path).and_then(|file| file.take(64).read_to_end(&mut start)).is_ok();
    is_file && read && (start.is_empty() || begins.iter().any(|one| start.starts_with(one)))
}

#[derive(Debug, Serialize)]
struct WireImported {
    batches: usize,
    memories: usize,
    known: usize,
    blocked: usize,
    links: usize,
    /// It counts as said here: our own export, or the user vouches for it.
    trusted: bool,
    waiting: usize,
    /// In whose `review` they wait.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting_in: Vec<WireWaiting>,
    /// Texts that are found by their words only, until they have a vector.
    without_vector: usize,
}

#[derive(Debug, Serialize)]
struct WireWaiting {
    project: String,
    waiting: usize,
}

/// What waits for a person, and in which project's `review`.
fn waiting_words(done: &Imported, here: &str) -> String {
    let mut page = String::new();
    for (key, count) in &done.waiting_in {
        let told = if key == here || key == Level::Global.as_str() {
            format!("\n  waiting for your decision in `review`: {count}")
        } else {
            let key = safe(key);
            format!("\n  waiting for your decision in `review` of the project {key}: {count}")
        };
        page.push_str(&told);
    }
    page
}

/// Texts of each project that get their vectors before an import ends. More would keep the user waiting for minutes.
const EMBEDDED_AT_ONCE: usize = 128;

pub(super) fn import(
    args: &args::Import,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let graph = match args.format {
        args::ImportFormat::Auto => throughline_mcp::is_graph(&args.file),
        args::ImportFormat::ServerMemory => true,
        args::ImportFormat::Throughline => false,
    };
    if graph {
        return import_graph(args, settings, ui);
    }
    let engine = settings.engine()?;
    let bar = ui.progress("importing batches");
    let source = if args.trust { ImportSource::Vouched } else { ImportSource::ByItsMark };
    let done = engine.copying().import(&settings.context()?, &args.file, source, &mut |done| {
        bar.set_position(done as u64);
    })?;
    bar.finish_and_clear();
    let without_vector = engine.checking().embed_a_few(EMBEDDED_AT_ONCE)?;
    let wire = WireImported {
        batches: done.batches,
        memories: done.memories,
        known: done.known,
        blocked: done.blocked,
        links: done.links,
        trusted: !done.foreign,
        waiting: done.waiting,
        waiting_in: (done.waiting_in.iter())
            .map(|(key, count)| WireWaiting { project: key.clone(), waiting: *count })
            .collect(),
        without_vector,
    };
    let here = settings.context()?.project.key.to_string();
    ui.answer(&wire, || {
        let mut page = paint(GOOD, format!("Imported {}", plural(done.memories, "memory")));
        if done.batches > 0 {
            let batches = plural(done.batches, "batch");
            page.push_str(&format!(" with their history of {batches}"));
        }
        if done.foreign {
            page.push_str(
                " as external: they come from another home (`--trust` takes them as your own)",
            );
        }
        page.push_str(&waiting_words(&done, &here));
        if done.known > 0 {
            page.push_str(&format!("\n  known already: {}", done.known));
        }
        if done.blocked > 0 {
            page.push_str(&format!("\n  erased here before, so left out: {}", done.blocked));
        }
        if without_vector > 0 {
            let texts = plural(without_vector, "text");
            page.push_str(&format!(
                "\n  {texts} can be found by their words now, and by meaning later: sessions and \
                 `throughline sleep` see to it"
            ));
        }
        page
    })
}

#[derive(Debug, Serialize)]
struct WireImportedGraph {
    entities: usize,
    observations: usize,
    relations: usize,
    known: usize,
}

/// Reads in what the official memory server kept, to where its tools look for it.
fn import_graph(args: &args::Import, settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let engine = settings.engine()?;
    let level = settings.chosen_level().unwrap_or(Level::Global);
    let context = Context { level, ..settings.context()? };
    let done = throughline_mcp::import_graph(&engine, &context, &args.file)?;
    let wire = WireImportedGraph {
        entities: done.entities,
        observations: done.observations,
        relations: done.relations,
        known: done.known,
    };
    ui.answer(&wire, || {
        let page = format!(
            "Imported {}, {}, {}",
            plural(done.entities, "entity"),
            plural(done.observations, "observation"),
            plural(done.relations, "relation")
        );
        let known = if done.known > 0 {
            format!("\n  known already: {}", done.known)
        } else {
            String::new()
        };
        format!("{}{known}", paint(GOOD, page))
    })
}

/// A path as it may be printed.
fn shown(path: &Path) -> String {
    safe(&path.display().to_string())
}
