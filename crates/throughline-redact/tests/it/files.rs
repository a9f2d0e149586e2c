//! Which files are secret whatever they say.

use throughline_redact::is_secret_file;

#[test]
fn files_that_hold_secrets_are_known_by_their_names() {
    for path in [
        ".env",
        "app/.env.local",
        "/srv/.env.production",
        "prod.env",
        ".envrc",
        "tls/server.pem",
        "tls/server.key",
        "~/.ssh/id_rsa",
        "/home/a/.ssh/id_ed25519",
        "id_ecdsa",
        ".netrc",
        "_netrc",
        ".npmrc",
        ".pypirc",
        "/home/a/.aws/credentials",
        ".git-credentials",
        "credentials.json",
        ".cargo/credentials.toml",
        "/root/.kube/config",
        "kubeconfig",
        "prod.kubeconfig",
        "store.p12",
        "store.PFX",
        "a.jks",
        "debug.keystore",
        "terraform.tfstate",
        "terraform.tfstate.backup",
        "C:\\Users\\a\\.ssh\\id_rsa",
        ".docker/config.json",
        "config/secrets.yml",
        "client_secret_123.json",
        "service-account-prod.json",
        ".pgpass",
        ".claude/.credentials.json",
        ".codex/auth.json",
        "/etc/shadow",
        "key.ppk",
    ] {
        assert!(is_secret_file(path), "{path}");
    }
}

#[test]
fn files_that_only_sound_like_it_are_not_secret() {
    for path in [
        "",
        ".env.example",
        ".env.sample",
        ".env.template",
        "example.env",
        "src/env.rs",
        ".env.d.ts",
        "environment.ts",
        "id_rsa.pub",
        "credentials.rs",
        "src/secrets.py",
        "token.go",
        "keys.ts",
        "config.json",
        ".kube/cache",
        "docs/config",
        "README.md",
        "monkey.png",
        "keyboard.json",
        "main.tf",
        "package-lock.json",
        "authorized_keys",
        "auth.json",
        "cert.crt",
        "secret.rs",
        "secrets.example.yml",
        ".gitignore",
        "passwords.md",
    ] {
        assert!(!is_secret_file(path), "{path}");
    }
}
