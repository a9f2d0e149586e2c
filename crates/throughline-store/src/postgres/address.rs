//! The address of a server: a URL as libpq reads it, with passwords and services from the usual places.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode, TargetSessionAttrs};

use super::tls::Tls;
use crate::{Error, Result};

/// Documents that a process which stays holds at most, unless the address says otherwise: each takes half a
/// kilobyte.
const HOLD_MAX: usize = 200_000;
/// How long to wait for a server that does not answer at all.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// The schema that holds our tables, unless the address names another.
const SCHEMA: &str = "throughline";
/// Documents of a space that are searched one by one, unless the address names another number.
const SCAN_MAX: i64 = 2_000;

/// Where a store is, and how it is reached.
pub(super) struct Address {
    pub(super) config: Config,
    /// Encryption; `None` where the connection never leaves this machine, or the address says so.
    pub(super) tls: Option<Tls>,
    pub(super) schema: String,
    /// A space with no more documents than this is searched one by one for the nearest, exactly.
    pub(super) scan_max: i64,
    /// Documents that a process which stays holds at most.
    pub(super) hold_max: usize,
    /// How often the server was asked and waited for.
    pub(super) trips: Arc<AtomicU64>,
    /// Its name for people, without any password.
    pub(super) name: String,
    /// The role that is taken on after connecting.
    pub(super) person: Option<String>,
}

impl Address {
    /// Reads an address. `variable` tells the variables of the environment.
    pub(super) fn read(url: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<Self> {
        let (bare, mut ours) = split(url);
        let mut config: Config = bare.parse().map_err(|error: tokio_postgres::Error| {
            let why = std::error::Error::source(&error).map(ToString::to_string);
            Error::BadAddress(format!(
                "the address of the store is no PostgreSQL URL ({}); it looks like \
                 postgresql://anna@db.example.com/memory",
                why.unwrap_or_else(|| error.to_string())
            ))
        })?;
        let service = ours.remove("service").or_else(|| variable("PGSERVICE"));
        let service = match service {
            Some(name) => service_settings(&name, variable)?,
            None => BTreeMap::new(),
        };
        let mut setting = |name: &str, named: &str| {
            ours.remove(name).or_else(|| service.get(name).cloned()).or_else(|| variable(named))
        };
        let schema = setting("schema", "").unwrap_or_else(|| SCHEMA.to_owned());
        if schema.is_empty() || !schema.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(Error::BadAddress(format!("{schema:?} is no name of a schema")));
        }
        let hold_max = setting("hold_max", "").map(|number| {
            let why = |_| Error::BadAddress(format!("hold_max={number} is no number"));
            number.parse().map_err(why)
        });
        let hold_max = hold_max.transpose()?.unwrap_or(HOLD_MAX);
        let scan_max = setting("scan_max", "").map(|number| {
            let why = || Error::BadAddress(format!("scan_max={number} is no number"));
            number.parse().map_err(|_| why())
        });
        let scan_max = scan_max.transpose()?.unwrap_or(SCAN_MAX);
        let mode = setting("sslmode", "PGSSLMODE");
        let roots = setting("sslrootcert", "PGSSLROOTCERT").map(PathBuf::from);
        complete(&mut config, &mut setting)?;
        if let Some((unknown, _)) = ours.first_key_value() {
            let why = format!("the address of the store has {unknown:?}, which means nothing here");
            return Err(Error::BadAddress(why));
        }
        let tls = encryption(&config, mode.as_deref(), roots.as_deref())?;
        config.ssl_mode(if tls.is_some() { SslMode::Require } else { SslMode::Disable });
        config.application_name("throughline");
        config.connect_timeout(CONNECT_LIMIT);
        // Of several servers only the one that takes writes is of use.
        if config.get_hosts().len() > 1 {
            config.target_session_attrs(TargetSessionAttrs::ReadWrite);
        }
        if config.get_password().is_none()
            && let Some(found) = password(&config, &service, variable)
        {
            config.password(found);
        }
        let name = name_of(&config);
        let (trips, person) = (Arc::default(), None);
        Ok(Self { config, tls, schema, scan_max, hold_max, trips, name, person })
    }

    /// Whether several servers are named, one of which takes the place of another that fails.
    pub(super) fn has_standby(&self) -> bool {
        self.config.get_hosts().len() > 1
    }
}

/// The parameters that the client library does not know, apart from the rest of the address.
fn split(url: &str) -> (String, BTreeMap<String, String>) {
    let known = ["hold_max", "scan_max", "schema", "service", "sslmode", "sslrootcert"];
    let mut ours = BTreeMap::new();
    let Some((bare, query)) = url.split_once('?') else { return (url.to_owned(), ours) };
    let mut rest = Vec::new();
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some((name, value)) if known.contains(&name) => {
                ours.insert(name.to_owned(), decoded(value));
            }
            _ => rest.push(pair),
        }
    }
    let bare = if rest.is_empty() { bare.to_owned() } else { format!("{bare}?{}", rest.join("&")) };
    (bare, ours)
}

/// A part of a URL with its escapes resolved.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        match (first, hex.and_then(|two| u8::from_str_radix(two, 16).ok())) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Fills in what the address leaves open.
fn complete(
    config: &mut Config,
    setting: &mut dyn FnMut(&str, &str) -> Option<String>,
) -> Result<()> {
    if config.get_hosts().is_empty() {
        let hosts = setting("host", "PGHOST").unwrap_or_else(|| "127.0.0.1".to_owned());
        for host in hosts.split(',') {
            config.host(host);
        }
    }
    if config.get_ports().is_empty()
        && let Some(port) = setting("port", "PGPORT")
    {
        for one in port.split(',') {
            let number = one.parse();
            config.port(number.map_err(|_| Error::BadAddress(format!("{one:?} is no port")))?);
        }
    }
    if config.get_user().is_none() {
        let user = setting("user", "PGUSER").or_else(|| setting("", "USER"));
        config.user(user.unwrap_or_else(|| "postgres".to_owned()));
    }
    if config.get_dbname().is_none()
        && let Some(name) = setting("dbname", "PGDATABASE")
    {
        config.dbname(name);
    }
    Ok(())
}

/// Whether to encrypt: always, except on this machine, or where the address says not to.
fn encryption(config: &Config, mode: Option<&str>, roots: Option<&Path>) -> Result<Option<Tls>> {
    match mode {
        Some("disable") => Ok(None),
        Some("require" | "verify-ca" | "verify-full") => Tls::new(roots).map(Some),
        None | Some("" | "prefer" | "allow") if is_here(config) && roots.is_none() => Ok(None),
        None | Some("" | "prefer" | "allow") => Tls::new(roots).map(Some),
        Some(other) => Err(Error::BadAddress(format!(
            "sslmode={other} is not known; there are disable, require and verify-full"
        ))),
    }
}

fn is_here(config: &Config) -> bool {
    config.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => matches!(name.as_str(), "localhost" | "127.0.0.1" | "::1"),
        #[cfg(unix)]
        Host::Unix(_) => true,
    })
}

fn host_of(config: &Config) -> String {
    config.get_hosts().first().map_or_else(|| "localhost".to_owned(), host_name)
}

fn host_name(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    }
}

fn database_of(config: &Config) -> &str {
    config.get_dbname().or(config.get_user()).unwrap_or("postgres")
}

fn port_of(config: &Config) -> u16 {
    config.get_ports().first().copied().unwrap_or(5432)
}

fn name_of(config: &Config) -> String {
    let ports = config.get_ports();
    let places = config.get_hosts().iter().enumerate().map(|(at, host)| {
        let port = ports.get(at).or_else(|| ports.last()).copied().unwrap_or(5432);
        format!("{}:{port}", host_name(host))
    });
    let places: Vec<String> = places.collect();
    format!("postgresql://{}/{}", places.join(","), database_of(config))
}

/// The settings of a service, from the file of services.
fn service_settings(
    name: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<BTreeMap<String, String>> {
    let own = variable("PGSERVICEFILE").map(PathBuf::from);
    let home = || variable("HOME").map(|home| Path::new(&home).join(".pg_service.conf"));
    let file = own.or_else(home).unwrap_or_default();
    let text = std::fs::read_to_string(&file).map_err(|error| {
        Error::BadAddress(format!("service {name:?}: {} cannot be read: {error}", file.display()))
    })?;
    let mut here = false;
    let mut settings = BTreeMap::new();
    let mut found = false;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            here = section == name;
            found |= here;
        } else if let Some((key, value)) = line.split_once('=').filter(|_| here) {
            settings.insert(key.trim().to_owned(), value.trim().to_owned());
        }
    }
    if found {
        return Ok(settings);
    }
    Err(Error::BadAddress(format!("there is no service {name:?} in {}", file.display())))
}

/// The password from the service, the environment or the password file, in this order.
fn password(
    config: &Config,
    service: &BTreeMap<String, String>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    if let Some(found) = service.get("password").cloned().or_else(|| variable("PGPASSWORD")) {
        return Some(found);
    }
    let own = variable("PGPASSFILE").map(PathBuf::from);
    let home = || variable("HOME").map(|home| Path::new(&home).join(".pgpass"));
    let file = own.or_else(home)?;
    if !is_private(&file) {
        return None;
    }
    let text = std::fs::read_to_string(file).ok()?;
    let wanted = [
        host_of(config),
        port_of(config).to_string(),
        database_of(config).to_owned(),
        config.get_user().unwrap_or_default().to_owned(),
    ];
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = fields(line);
        let fits = |(field, wanted): (&String, &String)| field == "*" || field == wanted;
        let all = fields.len() == 5 && fields.iter().zip(&wanted).all(fits);
        all.then(|| fields[4].clone())
    })
}

/// The fields of a line of the password file; a backslash takes the next character as it is.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        let taken = match character {
            ':' if fields.len() < 5 => {
                fields.push(String::new());
                continue;
            }
            '\\' => characters.next(),
            other => Some(other),
        };
        fields.last_mut().expect("there is a first field").extend(taken);
    }
    fields
}

/// Whether nobody else can read a file; libpq takes no password from one that others can.
#[cfg(unix)]
fn is_private(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(file).is_ok_and(|data| data.permissions().mode() & 0o077 == 0)
}

#[cfg(not(unix))]
fn is_private(file: &Path) -> bool {
    file.is_file()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Reads an address in an environment.
    fn read(url: &str, variables: &[(&str, &str)]) -> Result<Address> {
        let told: BTreeMap<&str, &str> = variables.iter().copied().collect();
        Address::read(url, &|name| told.get(name).map(|value| (*value).to_owned()))
    }

    fn password_of(address: &Address) -> Option<&str> {
        address.config.get_password().map(|bytes| std::str::from_utf8(bytes).unwrap())
    }

    /// A file that only its owner can read.
    fn private(folder: &Path, name: &str, text: &str) -> String {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        path.to_str().unwrap().to_owned()
    }

    #[test]
    fn a_password_comes_from_the_address_the_environment_or_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let lines = "# ours\n*:*:other:anna:no\ndb:5432:*:anna:a\\:b\\\\c\n*:*:*:*:last\n";
        let file = private(folder.path(), "pass", lines);
        let url = "postgresql://anna@db/memory?sslmode=disable";
        let address = read(url, &[("PGPASSFILE", &file)]).unwrap();
        assert_eq!(password_of(&address), Some("a:b\\c"));
        let address = read(url, &[("PGPASSFILE", &file), ("PGPASSWORD", "first")]).unwrap();
        assert_eq!(password_of(&address), Some("first"));
        let url = "postgresql://anna:own@db/memory?sslmode=disable";
        let address = read(url, &[("PGPASSWORD", "first")]).unwrap();
        assert_eq!(password_of(&address), Some("own"));
        assert_eq!(address.name, "postgresql://db:5432/memory", "without the password");
    }

    #[cfg(unix)]
    #[test]
    fn a_password_file_that_others_can_read_is_not_read() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = private(folder.path(), "pass", "*:*:*:*:told");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let address = read("postgresql://anna@127.0.0.1/m", &[("PGPASSFILE", &file)]).unwrap();
        assert_eq!(password_of(&address), None);
    }

    #[test]
    fn a_service_fills_in_what_the_address_leaves_open() {
        let folder = tempfile::tempdir().unwrap();
        let text = "[other]\nhost=no\n[team]\nhost=db.example.com\nport=6543\ndbname=memory\n\
                    user=anna\npassword=told\n";
        let file = private(folder.path(), "services", text);
        let url = "postgresql://?service=team&schema=ours";
        let address = read(url, &[("PGSERVICEFILE", &file)]).unwrap();
        assert_eq!(address.name, "postgresql://db.example.com:6543/memory");
        assert_eq!(
            (address.config.get_user(), password_of(&address)),
            (Some("anna"), Some("told"))
        );
        assert_eq!(address.schema, "ours");
        let missing = read("postgresql://?service=none", &[("PGSERVICEFILE", &file)]);
        assert!(matches!(missing, Err(Error::BadAddress(why)) if why.contains("\"none\"")));
    }

    #[test]
    fn everything_but_this_machine_is_encrypted() {
        for (url, encrypted) in [
            ("postgresql://anna@127.0.0.1/m", false),
            ("postgresql://anna@localhost/m", false),
            ("postgresql://anna@localhost/m?sslmode=require", true),
            ("postgresql://anna@db.example.com/m", true),
            ("postgresql://anna@db.example.com/m?sslmode=prefer", true),
            ("postgresql://anna@db.example.com/m?sslmode=disable", false),
        ] {
            assert_eq!(read(url, &[]).unwrap().tls.is_some(), encrypted, "{url}");
        }
        let here = read("postgresql://anna@localhost/m", &[("PGSSLMODE", "require")]).unwrap();
        assert!(here.tls.is_some());
    }
}
