//! Stories: what a writer knows, how it hangs together, and what is asked about it.

use std::path::Path;

use anyhow::Context as _;
use throughline_core::{Kind, Relation};

/// One writer's memories and questions.
#[derive(Debug)]
pub(super) struct Story {
    pub(super) writer: String,
    pub(super) memories: Vec<ToldMemory>,
    pub(super) edges: Vec<ToldEdge>,
    pub(super) questions: Vec<Question>,
}

/// A memory as the writer told it.
#[derive(Debug)]
pub(super) struct ToldMemory {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) content: String,
    pub(super) tags: Vec<String>,
}

/// A connection that the writer made.
#[derive(Debug)]
pub(super) struct ToldEdge {
    pub(super) from: String,
    pub(super) relation: Relation,
    pub(super) to: String,
}

/// A question, and what an answer needs.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) number: usize,
    /// What was said before in the session.
    pub(super) before: Vec<String>,
    pub(super) text: String,
    /// Names of memories; empty where nothing is known.
    pub(super) needs: Vec<String>,
}

/// The stories of a part, by file name.
pub(super) fn read(folder: &Path, part: &str) -> anyhow::Result<Vec<Story>> {
    let parts: &[&str] = match part {
        "open" => &["open"],
        "held" => &["held"],
        "all" => &["open", "held"],
        other => anyhow::bail!("unknown part {other:?} (choose: open, held, all)"),
    };
    let mut files = Vec::new();
    for part in parts {
        let folder = folder.join(part);
        let listed = std::fs::read_dir(&folder)
            .with_context(|| format!("{} cannot be listed", folder.display()))?;
        for entry in listed {
            files.push(entry?.path());
        }
    }
    files.sort();
    let mut number = 0;
    files
        .iter()
        .map(|file| {
            let text = std::fs::read_to_string(file)?;
            parse(&text, &mut number).with_context(|| format!("in {}", file.display()))
        })
        .collect()
}

fn parse(text: &str, number: &mut usize) -> anyhow::Result<Story> {
    let (memories, edges, questions) = (Vec::new(), Vec::new(), Vec::new());
    let mut story = Story { writer: String::new(), memories, edges, questions };
    let (mut section, mut before) = ("", Vec::new());
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(writer) = line.strip_prefix("writer: ") {
            writer.clone_into(&mut story.writer);
        } else if line.starts_with('[') {
            section = line;
        } else if section == "[memories]" {
            story.memories.push(memory(line).with_context(|| line.to_owned())?);
        } else if section == "[edges]" {
            story.edges.push(edge(line).with_context(|| line.to_owned())?);
        } else if let Some(said) = line.strip_prefix("> ") {
            before.push(said.to_owned());
        } else {
            let (text, needs) = line.rsplit_once(" => ").with_context(|| line.to_owned())?;
            let needs = needs.split_whitespace().filter(|one| *one != "none");
            *number += 1;
            story.questions.push(Question {
                number: *number,
                before: std::mem::take(&mut before),
                text: text.to_owned(),
                needs: needs.map(str::to_owned).collect(),
            });
        }
    }
    let known = |name: &String| story.memories.iter().any(|one| one.name == *name);
    let named = story.edges.iter().flat_map(|edge| [&edge.from, &edge.to]);
    let asked = story.questions.iter().flat_map(|one| &one.needs);
    if let Some(unknown) = named.chain(asked).find(|name| !known(name)) {
        anyhow::bail!("{unknown} is not among the memories");
    }
    Ok(story)
}

fn memory(line: &str) -> anyhow::Result<ToldMemory> {
    let (head, content) = line.split_once(": ").context("no kind")?;
    let (name, kind) = head.split_once(' ').context("no name")?;
    let mut words: Vec<&str> = content.split(' ').collect();
    let mut tags = Vec::new();
    while let Some(tag) = words.last().and_then(|word| word.strip_prefix('#')) {
        tags.push(tag.to_owned());
        words.pop();
    }
    let kind = kind.parse().map_err(anyhow::Error::msg)?;
    Ok(ToldMemory { name: name.to_owned(), kind, content: words.join(" "), tags })
}

fn edge(line: &str) -> anyhow::Result<ToldEdge> {
    let [from, relation, to] = line.split(' ').collect::<Vec<_>>()[..] else {
        anyhow::bail!("not three words");
    };
    let relation = relation.parse().map_err(anyhow::Error::msg)?;
    Ok(ToldEdge { from: from.to_owned(), relation, to: to.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stories_are_whole_and_hold_enough_questions() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("graph");
        let stories = read(&folder, "all").unwrap();
        assert!(stories.len() >= 12, "{}", stories.len());
        let questions: Vec<&Question> = stories.iter().flat_map(|one| &one.questions).collect();
        let multi = questions.iter().filter(|one| !one.needs.is_empty()).count();
        assert!(multi >= 150, "{multi}");
        let texts: std::collections::BTreeSet<&str> =
            questions.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(texts.len(), questions.len(), "no question is asked twice");
    }

    #[test]
    fn a_name_that_nobody_told_is_an_error() {
        let text = "writer: W\n[memories]\na1 fact: It rains. #wet\n[questions]\nwhy? => a2";
        let error = parse(text, &mut 0).unwrap_err().to_string();
        assert!(error.contains("a2"), "{error}");
    }
}
