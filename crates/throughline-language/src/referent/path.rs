//! Paths by their form: what looks like a file or a folder, and what only looks a little like it.

/// What a path seems to lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Leads {
    File,
    Folder,
}

/// Longer ones are data.
const PATH_BYTES_MAX: usize = 256;

/// What a written path seems to lead to, with the path as it is looked up.
pub(super) fn leads(written: &str) -> Option<(Leads, &str)> {
    let path = written.trim_start_matches("./");
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '/' | '_' | '.' | '-' | '+' | '@');
    let inner = path.strip_prefix("~/").unwrap_or(path);
    if path.is_empty() || path.len() > PATH_BYTES_MAX || !inner.chars().all(allowed) {
        return None;
    }
    let folder = path.strip_suffix('/');
    let body = folder.unwrap_or(path);
    let parts: Vec<&str> = body.split('/').collect();
    let (first, last) = (parts[0], parts[parts.len() - 1]);
    let odd = |part: &&str| {
        part.is_empty() || part.ends_with('.') && !matches!(*part, "." | "..") || *part == "@"
    };
    if parts.iter().skip(1).any(odd)
        || first.trim_start_matches('@').contains('@')
        || !last.contains(char::is_alphabetic)
        || is_host(first)
    {
        return None;
    }
    let rooted = written.len() > path.len()
        || matches!(first, "~" | "..")
        || first.is_empty() && parts.get(1).is_some_and(|root| is_one_of(root, ROOTS));
    // `/api/users` is a route.
    let within =
        !first.is_empty() && parts[..parts.len() - 1].iter().any(|part| is_one_of(part, FOLDERS));
    let at_home = parts.len() > 1 && (rooted || within);
    if folder.is_some() {
        let named = body.chars().filter(|c| c.is_alphabetic()).count() >= 2;
        let settled = parts.len() > 1 || !is_one_of(body, "and or either with vs per");
        return (named && settled && !first.is_empty() || rooted).then_some((Leads::Folder, body));
    }
    if is_file_name(last, parts.len() > 1, at_home) {
        return Some((Leads::File, body));
    }
    let bare = !last.contains(['.', '@']);
    (at_home && bare && parts.len() > 1).then_some((Leads::Folder, body))
}

/// Whether a file keeps settings by key.
pub(super) fn is_manifest(path: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| is_one_of(end, "json toml yaml yml"))
}

fn is_file_name(name: &str, in_folder: bool, at_home: bool) -> bool {
    if is_one_of(name, BARE) || is_dot_file(name) || in_folder && is_one_of(name, "README LICENSE")
    {
        return true;
    }
    let Some((stem, end)) = name.rsplit_once('.') else { return false };
    if stem.trim_matches('.').is_empty() || !in_folder && is_product(name) {
        return false;
    }
    let lower = end.to_ascii_lowercase();
    let known = if end.len() > 1 { lower.as_str() } else { end };
    let short = end.len() == 1 && stem.len() < 2;
    let plain = (1..=8).contains(&end.len())
        && end.starts_with(|c: char| c.is_ascii_lowercase())
        && end.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    is_one_of(known, EXTENSIONS) && (in_folder || !short)
        || in_folder && is_one_of(known, IN_FOLDERS)
        || at_home && plain
}

fn is_dot_file(name: &str) -> bool {
    let Some(rest) = name.strip_prefix('.') else { return false };
    let begins = |known: &str| {
        rest.strip_prefix(known).is_some_and(|after| {
            after.is_empty() || after.starts_with(['.', '-', 'r', 'i', 'a', 'c', 'm'])
        })
    };
    rest.len() >= 3
        && rest.bytes().all(|b| {
            b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'_')
        })
        && DOT_FILES.split(' ').any(begins)
}

/// `Node.js`: a product, not a file.
fn is_product(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    lower == "docs.rs" || lower.strip_suffix(".js").is_some_and(|stem| is_one_of(stem, PRODUCTS))
}

/// `example.com`, `github.com`.
fn is_host(part: &str) -> bool {
    part.rsplit_once('.').is_some_and(|(name, top)| {
        name.contains(char::is_alphanumeric) && is_one_of(&top.to_ascii_lowercase(), TOP_DOMAINS)
    })
}

fn is_one_of(word: &str, list: &str) -> bool {
    !word.is_empty() && list.split(' ').any(|one| one == word)
}

const BARE: &str = "Dockerfile Makefile GNUmakefile Containerfile Justfile justfile Gemfile Rakefile Procfile \
    Vagrantfile Jenkinsfile Brewfile CODEOWNERS";

const DOT_FILES: &str = "git env eslint prettier npm nvm docker editor babel tool-versions python-version \
    node-version ruby-version rust clang stylelint browserslist gitattributes editorconfig mailmap bash zsh";

const PRODUCTS: &str = "node next vue nuxt three express chart d3 p5 ember backbone alpine solid discord moment \
    day pdf nest react angular preact svelte socket";

const TOP_DOMAINS: &str =
    "com org net io dev app ai co edu gov de fr uk eu us me info tech cloud xyz";

const ROOTS: &str = "etc usr var home opt tmp srv root mnt Users Library Applications private workspace \
    workspaces work data proc sys dev lib bin boot run media";

const FOLDERS: &str = "src crates docs doc tests test lib libs bin app apps packages pkg cmd internal scripts \
    tools examples benches bench config configs public static assets include vendor migrations server \
    client components pages api modules spec specs target build dist node_modules .github .git .vscode \
    .config deploy infra terraform k8s ci data fixtures resources prompts workflows";

const EXTENSIONS: &str = "rs toml lock md mdx txt rst adoc py pyi ipynb js jsx mjs cjs ts tsx mts cts json json5 \
    jsonl jsonc yaml yml xml html htm css scss sass less vue svelte astro go mod sum java kt kts gradle groovy \
    scala rb erb php c h cc cpp cxx hpp hh cu cuh mm swift cs fs fsx sh bash zsh fish ps1 bat sql graphql gql \
    proto ini cfg csv tsv parquet diff patch tf tfvars hcl nix zig nim ex exs erl hrl hs ml mli clj cljs edn lua \
    jl dart sv vhd asm wat wasm tex bib svg png jpg jpeg gif pdf ico snap tmpl tpl j2 ejs hbs prisma sol cmake mk \
    bazel bzl onnx safetensors gguf sqlite lockb plist";

/// Endings that fields and functions have, too: they take a folder before them.
const IN_FOLDERS: &str =
    "log conf config db bin env service socket timer properties out s r m pl pm zip gz tar";
