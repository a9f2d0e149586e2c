//! Named values.

use std::collections::BTreeMap;

use throughline_core::watermark::Reading;
use throughline_watch::{Unresolved, World};

use crate::{Project, flag, look};

fn with(project: &Project, name: &str, value: &str) -> World {
    project.world().with_environment(BTreeMap::from([(name.to_owned(), value.to_owned())]))
}

#[test]
fn an_environment_variable_is_known_by_its_value_and_never_shown() {
    let project = Project::new();
    let stamped = with(&project, "VF_MODE", "fast").stamp(&flag("VF_MODE")).unwrap();
    assert_eq!(stamped.referent, flag("env:VF_MODE"));
    assert_eq!(with(&project, "VF_MODE", "fast").stamp(&flag("env:VF_MODE")).unwrap(), stamped);
    assert_eq!(look(&with(&project, "VF_MODE", "fast"), &stamped).reading, Reading::Unchanged);
    let seen = look(&with(&project, "VF_MODE", "slow"), &stamped);
    assert_eq!(seen.reading, Reading::Moved);
    assert!(!format!("{stamped:?}{seen:?}").contains("fast"));
    assert!(!format!("{seen:?}").contains("slow"));
}

#[test]
fn a_variable_that_is_not_set_here_is_unknown() {
    let project = Project::new();
    let stamped = with(&project, "VF_MODE", "fast").stamp(&flag("VF_MODE")).unwrap();
    assert_eq!(project.reading(&stamped), Reading::Unknown);
    for name in ["VF_MODE", "env:VF_MODE", "env:", "", "env:A=B", "A\0B"] {
        assert_eq!(project.refusal(&flag(name)), Unresolved::UnknownFlag, "{name:?}");
    }
}

#[test]
fn the_environment_of_the_process_is_there_by_default() {
    let project = Project::new();
    let world = World::at(&project.root());
    let stamped = world.stamp(&flag("PATH")).unwrap();
    assert_eq!(stamped.referent, flag("env:PATH"));
    assert_eq!(look(&world, &stamped).reading, Reading::Unchanged);
}

#[test]
fn a_key_of_a_manifest_is_followed() {
    let project = Project::new();
    project.write(
        "Cargo.toml",
        "[dependencies]\nserde = \"1.0\" # for now\nrand = { version = \"0.9\" }\n",
    );
    let serde = project.stamp(&flag("Cargo.toml#dependencies.serde"));
    let rand = project.stamp(&flag("dependencies.rand.version"));
    assert_eq!(serde.then, "1.0");
    assert_eq!(rand.referent, flag("Cargo.toml#dependencies.rand.version"));
    assert_eq!(rand.then, "0.9");

    project
        .write("Cargo.toml", "# moved\n[dependencies]\nrand.version = \"0.10\"\nserde = '1.0'\n");
    assert_eq!(project.reading(&serde), Reading::Unchanged, "only written in another way");
    let seen = project.look(&rand);
    assert_eq!((seen.reading, seen.now.as_str()), (Reading::Moved, "0.10"));

    project.write("Cargo.toml", "[dependencies]\nserde = \"1.0\"\n");
    assert_eq!(project.reading(&rand), Reading::Missing);
    project.write("Cargo.toml", "[dependencies\n");
    assert_eq!(project.reading(&serde), Reading::Unknown, "somebody is writing it");
    project.remove("Cargo.toml");
    assert_eq!(project.reading(&serde), Reading::Missing);
}

/// A file, a key of it and what is shown of its value.
const VALUES: [(&str, &str, &str, &str); 21] = [
    ("Cargo.lock", "[[package]]\nname = \"a\"\nversion = \"1.2\"\n", "package.a", "1.2"),
    (
        "Cargo.lock",
        "[[package]]\nname = \"a\"\nversion = \"1\"\n[[package]]\nname = \"a\"\nversion = \"2\"\n",
        "package.a",
        "1, 2",
    ),
    ("uv.lock", "[[package]]\nname = \"a.b\"\nsource = \"x\"\n", "package.a.b.source", "x"),
    ("package.json", r#"{"engines": {"node": ">=20"}}"#, "engines.node", ">=20"),
    ("package.json", r#"{"a.b": {"c.d": 1}}"#, "a.b.c.d", "1"),
    (
        "package-lock.json",
        r#"{"packages": {"node_modules/lodash.get": {"version": "4.4"}}}"#,
        "packages.node_modules/lodash.get.version",
        "4.4",
    ),
    ("composer.lock", r#"{"packages": [{"name": "a/b", "version": "v3"}]}"#, "packages.a/b", "v3"),
    (
        "pyproject.toml",
        "[project]\nrequires-python = \">=3.12\"\n",
        "project.requires-python",
        ">=3.12",
    ),
    ("a.toml", "list = [1, 2]\n", "list", "[1,2]"),
    ("a.toml", "on = 2024-05-01\n", "on", "2024-05-01"),
    ("go.mod", "module x\n\ngo 1.22 // yes\n", "go", "1.22"),
    (
        "go.mod",
        "require (\n\tgithub.com/a/b v1.2.3 // indirect\n)\nrequire github.com/c/d v2.0.0\n",
        "github.com/a/b",
        "v1.2.3",
    ),
    ("go.mod", "require github.com/c/d v2.0.0\n", "github.com/c/d", "v2.0.0"),
    (
        "Dockerfile",
        "FROM rust:1.91 AS build\nFROM debian:12\n",
        "FROM",
        "rust:1.91 AS build, debian:12",
    ),
    ("Dockerfile", "ENV PORT=8080\nARG PORTS=1\n", "PORT", "8080"),
    (".tool-versions", "# tools\nnodejs 20.1.0\npython 3.12\n", "nodejs", "20.1.0"),
    ("rust-toolchain.toml", "[toolchain]\nchannel = \"1.91\"\n", "toolchain.channel", "1.91"),
    (".nvmrc", "v20.11\n", "node", "v20.11"),
    ("app.yml", "db:\n  pool_size: 20 # small\n", "pool_size", "20"),
    ("app.ini", "# size = 1\nsize = \"9\"\nsize_max = 10\n", "size", "9"),
    ("app.properties", "a.b.c=on\r\n", "a.b.c", "on"),
];

#[test]
fn many_kinds_of_files_have_keys() {
    for (path, text, key, shown) in VALUES {
        let project = Project::new();
        project.write(path, text);
        let stamped = project.stamp(&flag(&format!("{path}#{key}")));
        assert_eq!(stamped.then, shown, "{path}#{key}");
        assert_eq!(project.reading(&stamped), Reading::Unchanged, "{path}#{key}");
        let missing = project.refusal(&flag(&format!("{path}#{key}x")));
        assert_eq!(missing, Unresolved::UnknownFlag, "{path}#{key}");
    }
}

#[test]
fn a_bare_key_is_found_in_the_first_manifest_that_has_it() {
    let project = Project::new();
    project.write("package.json", r#"{"version": "1"}"#);
    project.write("pyproject.toml", "version = \"2\"\nonly = \"here\"\n");
    project.write("Cargo.toml", "this is = not [toml");
    project.write(".nvmrc", "20");
    for (bare, canonical) in [
        ("version", "package.json#version"),
        ("only", "pyproject.toml#only"),
        ("node", ".nvmrc#node"),
    ] {
        assert_eq!(project.stamp(&flag(bare)).referent, flag(canonical));
    }
    assert_eq!(project.refusal(&flag("nothing")), Unresolved::UnknownFlag);
    let set = with(&project, "version", "3");
    assert_eq!(set.stamp(&flag("version")).unwrap().referent, flag("env:version"));
}

#[test]
fn the_name_of_a_flag_is_kept_in_one_form() {
    let project = Project::new();
    project.write("conf/a.toml", "key = 1");
    let stamped = project.stamp(&flag("./conf/../conf/a.toml#key"));
    assert_eq!(stamped.referent, flag("conf/a.toml#key"));
}

#[test]
fn files_of_secrets_have_no_keys() {
    let project = Project::new();
    for path in [".env", ".env.local", "conf/.envrc", "prod.env"] {
        project.write(path, "PASSWORD=hunter2\nPORT=80\n");
        let name = format!("{path}#PORT");
        assert_eq!(project.refusal(&flag(&name)), Unresolved::UnknownFlag, "{path}");
    }
}

#[test]
fn a_value_that_may_be_a_secret_is_not_shown() {
    let project = Project::new();
    let long = "0123456789abcdef0123456789abcdef0123456789abcdef";
    project.write(
        "app.toml",
        format!(
            "db_password = \"hunter2\"\nurl = \"pg://app:hunter2@db/x\"\nsum = \"hunter2{long}\"\n"
        ),
    );
    for key in ["db_password", "url", "sum"] {
        let stamped = project.stamp(&flag(&format!("app.toml#{key}")));
        assert!(!format!("{stamped:?}").contains("hunter2"), "{key}");
        assert_eq!(stamped.then.len(), 8, "{key}");
    }
}

#[test]
fn a_long_value_is_shown_in_part() {
    let project = Project::new();
    project.write("a.toml", format!("text = \"{}\"\n", "ünd so weiter ".repeat(9)));
    let then = project.stamp(&flag("a.toml#text")).then;
    assert_eq!(then.chars().count(), 41);
    assert!(then.ends_with('…'));
}

#[test]
fn values_outside_are_out_of_reach() {
    let project = Project::new();
    std::fs::write(project.outside("a.toml"), "key = 1").unwrap();
    project.link("link.toml", "../a.toml");
    for name in ["../a.toml#key", "link.toml#key"] {
        assert_eq!(project.refusal(&flag(name)), Unresolved::Outside, "{name}");
    }
    assert_eq!(project.refusal(&flag("none.toml#key")), Unresolved::Missing);
    project.write("bytes.ini", [b'k', b'=', 0xff]);
    assert_eq!(project.refusal(&flag("bytes.ini#k")), Unresolved::Unreadable);
}
