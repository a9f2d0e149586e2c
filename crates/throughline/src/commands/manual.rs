//! `completions` and `man`: what a shell and `man` know about the commands.

use std::process::ExitCode;

use anyhow::Context as _;

use crate::args;
use crate::ui::Ui;

pub(super) fn completions(args: &args::Completions, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let mut page = Vec::new();
    clap_complete::generate(args.shell, &mut crate::help::command(), "throughline", &mut page);
    ui.print(&String::from_utf8_lossy(&page))?;
    Ok(ExitCode::SUCCESS)
}

pub(super) fn man(args: &args::Man, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let command = crate::help::command();
    if let Some(dir) = &args.dir {
        let written = || format!("cannot write to {}", dir.display());
        std::fs::create_dir_all(dir).with_context(written)?;
        clap_mangen::generate_to(command, dir).with_context(written)?;
        let wire = serde_json::json!({ "dir": dir });
        return ui.answer(&wire, || format!("The manual is in {}", dir.display()));
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    ui.print(&String::from_utf8_lossy(&page))?;
    Ok(ExitCode::SUCCESS)
}
