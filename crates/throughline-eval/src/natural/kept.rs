//! Memories as `list` shows them, and what a page tells of them.

use anyhow::Context as _;
use serde_json::{Value, json};

use super::wording::{MOST, share, words};

/// A memory that is held, or was.
#[derive(Debug, Clone)]
pub(super) struct Kept {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) content: String,
    pub(super) state: String,
    authority: String,
    project: Option<String>,
    contested: bool,
    /// The sessions that it rests on.
    sessions: Vec<String>,
}

impl Kept {
    /// What a listing has of a project.
    pub(super) fn all(listing: &Value, project: &str) -> anyhow::Result<Vec<Self>> {
        let items = listing["items"].as_array().context("a listing has items")?;
        let all =
            items.iter().map(Self::read).filter(|one| one.project.as_deref() == Some(project));
        Ok(all.collect())
    }

    fn read(item: &Value) -> Self {
        let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
        let evidence = item["evidence"].as_array().into_iter().flatten();
        let flags = item["flags"].as_array().into_iter().flatten();
        let against = item["contested_by"].as_array().is_some_and(|some| !some.is_empty());
        Self {
            id: text("id"),
            kind: text("kind"),
            content: text("content"),
            state: text("state"),
            authority: text("authority"),
            project: item["project"].as_str().map(str::to_owned),
            contested: against || flags.into_iter().any(|flag| flag == "contested"),
            sessions: evidence
                .filter_map(|one| one["session"].as_str().map(str::to_owned))
                .collect(),
        }
    }

    pub(super) fn is_active(&self) -> bool {
        matches!(self.state.as_str(), "staged" | "confirmed")
    }

    pub(super) fn is_confirmed(&self) -> bool {
        self.state == "confirmed"
    }

    pub(super) fn is_contested(&self) -> bool {
        self.contested
    }

    /// Whether it is the user's word, sure or on probation, and not what an agent said.
    pub(super) fn is_users(&self) -> bool {
        !matches!(self.authority.as_str(), "inferred" | "observed")
    }

    /// Whether it rests on what was said in a session.
    pub(super) fn is_from(&self, session: &str) -> bool {
        self.sessions.iter().any(|one| one == session)
    }

    /// The line that a page has of it.
    pub(super) fn line<'a>(&self, page: &'a str) -> Option<&'a str> {
        let handle = &self.id[self.id.len().saturating_sub(8)..];
        let head = format!("- [{handle}]");
        page.lines().find(|line| line.starts_with(&head))
    }

    /// In a few words, for whoever looks at a miss.
    pub(super) fn told(&self) -> Value {
        json!({"kind": self.kind, "state": self.state, "content": self.content,
            "authority": self.authority, "contested": self.contested})
    }
}

/// What a page says about something that was said first, in view of a later word; the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Told {
    /// It is not on the page.
    Nothing,
    /// It is marked as contested, or the later word is told with it as such.
    Marked,
    /// The later word stands on the page too, and nothing says which of the two holds.
    Beside,
    /// It is there as if nothing had been said since.
    Alone,
}

/// What a page says about a memory. `later` are memories of the later word, `said` is that word.
pub(super) fn told(page: &str, first: &Kept, later: &[&Kept], said: &str) -> Told {
    let Some(line) = first.line(page) else { return Told::Nothing };
    if line.contains(", contested by [") || quotes(line, said, first) || notes(line, said, first) {
        Told::Marked
    } else if later.iter().any(|one| one.line(page).is_some()) || quotes(page, said, first) {
        Told::Beside
    } else {
        Told::Alone
    }
}

/// Whether most of what a later word adds stands in a text, as a quotation or a note.
fn quotes(text: &str, said: &str, first: &Kept) -> bool {
    let (text, first) = (words(text), words(&first.content));
    let new: Vec<String> = words(said).into_iter().filter(|word| !first.contains(word)).collect();
    let found = new.iter().filter(|word| text.contains(word)).count();
    #[expect(clippy::cast_precision_loss, reason = "texts have few words")]
    let most = found as f64 >= MOST * new.len() as f64;
    new.len() >= 2 && most
}

/// Whether a line notes what of a later word is about the memory: words of it, with each number that is new in it.
fn notes(line: &str, said: &str, first: &Kept) -> bool {
    let Some((_, note)) = line.split_once("later said, ") else { return false };
    let Some((_, note)) = note.split_once('“') else { return false };
    let note = note.split_once('”').map_or(note, |(note, _)| note);
    let (noted, known) = (words(note), words(&first.content));
    let has_digit = |word: &&String| word.contains(|c: char| c.is_ascii_digit());
    let said_words = words(said);
    let mut new = said_words.iter().filter(has_digit).filter(|word| !known.contains(word));
    !noted.is_empty() && share(note, said) >= MOST && new.all(|word| noted.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(handle: &str, content: &str) -> Kept {
        let item = json!({"id": format!("019ca8d7-2d00-7001-85dd-0000{handle}"), "kind": "fact",
            "content": content, "state": "confirmed", "authority": "user_stated", "project": "p",
            "flags": [], "contested_by": [], "evidence": [{"session": "s"}]});
        Kept::read(&item)
    }

    #[test]
    fn a_listing_is_read_for_its_own_project_only() {
        let listing = json!({"items": [{"id": "a", "project": "p"}, {"id": "b", "project": null}]});
        let all = Kept::all(&listing, "p").unwrap();
        assert_eq!(all.iter().map(|one| one.id.as_str()).collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn a_memory_is_told_alone_unless_its_page_has_the_later_word() {
        let first = kept("aaaaaaaa", "Staging runs Postgres 14.");
        let later = kept("bbbbbbbb", "staging is on 16 since Monday");
        let said = "btw staging is on 16 since Monday";
        let line = "- [aaaaaaaa] fact 2026-03-01, user said: Staging runs Postgres 14.\n";
        let contested =
            "- [aaaaaaaa] fact 2026-03-01, user said, contested by [cccccccc]: Staging\n";
        let its = "- [bbbbbbbb] fact 2026-03-03, user said: staging is on 16 since Monday\n";
        let quote = "“btw staging is on 16 since Monday” (user, 2026-03-03)\n";
        for (page, as_what) in [
            (String::new(), Told::Nothing),
            (its.to_owned(), Told::Nothing),
            (line.to_owned(), Told::Alone),
            (contested.to_owned(), Told::Marked),
            (format!("{contested}{its}"), Told::Marked),
            (format!("{} — later said: staging is on 16 since Monday", line.trim()), Told::Marked),
            (format!("{line}{its}"), Told::Beside),
            (format!("{line}{quote}"), Told::Beside),
        ] {
            assert_eq!(told(&page, &first, &[&later], said), as_what, "{page}");
        }
    }

    #[test]
    fn a_note_counts_where_it_has_what_the_later_word_says_of_it() {
        let first = kept("aaaaaaaa", "Walkers get 80% of the price.");
        let line = "- [aaaaaaaa] fact 2026-03-01, user said: Walkers get 80% of the price. (later said, 2026-03-04: ";
        for (note, said, as_what) in [
            ("“85”)", "85", Told::Marked),
            (
                "“since monday it is 85”)",
                "lol that board meeting. since monday it is 85",
                Told::Marked,
            ),
            (
                "“the board voted”)",
                "move the freeze, the board voted and it is 85 now",
                Told::Alone,
            ),
            ("“tests are slow today”)", "it is now 85", Told::Alone),
        ] {
            let page = format!("{line}{note}");
            assert_eq!(told(&page, &first, &[], said), as_what, "{page}");
        }
    }
}
