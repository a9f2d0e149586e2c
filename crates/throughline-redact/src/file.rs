//! Secret files: files whose contents must not be kept, whatever they hold.

use crate::words::is_in;

/// Whether the contents of a file by this path must not be stored, whatever they say.
///
/// Judged by the name alone, with either kind of slash and in any case. Templates
/// (`.env.example`), public keys (`id_rsa.pub`) and source files (`credentials.rs`) are not secret.
/// Lists that a project keeps of its own secret files are not read here.
///
/// ```
/// use throughline_redact::is_secret_file;
/// assert!(is_secret_file("/app/.env.production"));
/// assert!(!is_secret_file("/app/.env.example"));
/// ```
pub fn is_secret_file(path: &str) -> bool {
    let path = path.trim().replace('\\', "/").to_ascii_lowercase();
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let folder = parts.next().unwrap_or_default();
    if name.split(['.', '-', '_']).any(|part| is_in(TEMPLATE_PARTS, part)) {
        return false;
    }
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) if !stem.is_empty() => (stem, extension),
        _ => (name, ""),
    };
    if extension == "pub" {
        return false;
    }
    is_environment(name, extension)
        || is_in(SECRET_NAMES, name)
        || is_in(SECRET_EXTENSIONS, extension)
        || SECRET_PLACES.contains(&(folder, name))
        || name.ends_with(".tfstate.backup")
        || (name.starts_with("id_") && is_in(SSH_KINDS, stem) && extension.is_empty())
        || (is_in(DATA_EXTENSIONS, extension) && is_secret_stem(stem.trim_start_matches('.')))
}

/// `.env`, `.env.local`, `prod.env`; a `.env.d.ts` only says which names there are.
fn is_environment(name: &str, extension: &str) -> bool {
    name == ".envrc"
        || extension == "env"
        || name == ".env"
        || (name.starts_with(".env.") && !["ts", "js", "rs", "py", "md"].contains(&extension))
}

fn is_secret_stem(stem: &str) -> bool {
    is_in(SECRET_STEMS, stem)
        || ["client_secret", "service-account", "service_account", "serviceaccount"]
            .iter()
            .any(|start| stem.starts_with(start))
}

const TEMPLATE_PARTS: &str = "example examples sample template tmpl dist schema defaults";

const SECRET_NAMES: &str = "\
    .netrc _netrc .npmrc .pypirc .pgpass pgpass.conf .my.cnf .mylogin.cnf .htpasswd .git-credentials .s3cfg .boto .vault-token .terraformrc terraform.rc credentials .credentials \
    .secrets kubeconfig .kubeconfig .dockercfg secring.gpg";

const SECRET_EXTENSIONS: &str = "\
    pem key p12 pfx jks keystore bks ppk p8 tfstate kubeconfig kdbx ovpn agekey";

/// Names that mean nothing by themselves, with the folder that makes them secret.
const SECRET_PLACES: [(&str, &str); 9] = [
    (".kube", "config"),
    (".docker", "config.json"),
    (".codex", "auth.json"),
    (".composer", "auth.json"),
    ("gh", "hosts.yml"),
    ("gcloud", "credentials.db"),
    ("gcloud", "application_default_credentials.json"),
    ("etc", "shadow"),
    ("etc", "gshadow"),
];

const SSH_KINDS: &str = "\
    id_rsa id_dsa id_ecdsa id_ed25519 id_xmss id_ecdsa_sk id_ed25519_sk id_ed448";

const DATA_EXTENSIONS: &str = "json yml yaml toml ini csv txt xml enc properties cfg conf";

const SECRET_STEMS: &str = "\
    credentials credential secrets secret application_default_credentials serviceaccountkey";
