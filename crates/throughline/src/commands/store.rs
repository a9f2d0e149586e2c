//! `store`: memory copied to a server or back, and who shares it there.

use std::process::ExitCode;

use serde::Serialize;
use throughline_core::text::plural;
use throughline_engine::{Member, MemberStanding};

use crate::args::{self, Admitted, StoreAction};
use crate::settings::Settings;
use crate::ui::{DIM, GOOD, Ui, paint, safe};

#[derive(Debug, Serialize)]
struct WireCopied {
    /// Batches of changes that were brought over.
    batches: usize,
    /// Batches that were there already.
    known: usize,
    vectors: usize,
}

#[derive(Debug, Serialize)]
struct WireMembers {
    project: String,
    items: Vec<WireMember>,
}

#[derive(Debug, Serialize)]
struct WireMember {
    role: String,
    standing: &'static str,
}

pub(super) fn store(
    args: &args::Store,
    settings: &Settings,
    ui: &mut Ui,
) -> anyhow::Result<ExitCode> {
    let engine = settings.engine()?;
    match &args.action {
        StoreAction::Copy { to } => {
            let bar = ui.progress_to("copying", 0);
            let done = engine.copying().copy_to(to, &mut |done, all| {
                bar.set_length(all as u64);
                bar.set_position(done as u64);
            })?;
            bar.finish_and_clear();
            let (batches, known, vectors) = (done.applied, done.known, done.vectors);
            ui.answer(&WireCopied { batches, known, vectors }, || {
                let copied = plural(batches, "batch of changes");
                let mut page = format!("{} {copied}", paint(GOOD, "Copied"));
                if known > 0 {
                    page.push_str(&format!(" {}", paint(DIM, format!("({known} were there)"))));
                }
                page
            })
        }
        StoreAction::Members => members(settings, ui),
        StoreAction::Admit { role, standing } => {
            let standing = match standing {
                Admitted::Reader => MemberStanding::Reader,
                Admitted::Member => MemberStanding::Member,
                Admitted::Owner => MemberStanding::Owner,
            };
            let member = Member { role: role.clone(), standing };
            engine.copying().add_member(&settings.context()?, &member)?;
            members(settings, ui)
        }
        StoreAction::Dismiss { role } => {
            engine.copying().remove_member(&settings.context()?, role)?;
            members(settings, ui)
        }
    }
}

/// Answers with who shares the memory of the project.
fn members(settings: &Settings, ui: &mut Ui) -> anyhow::Result<ExitCode> {
    let (engine, context) = (settings.engine()?, settings.context()?);
    let found = engine.copying().members(&context)?;
    let member = |one: Member| WireMember { role: one.role, standing: one.standing.as_str() };
    let wire = WireMembers {
        project: context.project.name,
        items: found.into_iter().map(member).collect(),
    };
    ui.answer(&wire, || {
        if wire.items.is_empty() {
            return format!("Nobody shares {} yet.", safe(&wire.project));
        }
        let line = |one: &WireMember| format!("{}  {}", safe(&one.role), one.standing);
        wire.items.iter().map(line).collect::<Vec<_>>().join("\n")
    })
}
