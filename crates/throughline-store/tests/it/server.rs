//! The servers that tests use: `tools/postgres/start.sh` starts them, and says where they are.

use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// The variable that names their addresses: the oldest version first, then the newest.
const ADDRESSES: &str = "THROUGHLINE_TEST_POSTGRES";

/// One server.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    url: String,
}

impl Server {
    /// The server of a version.
    #[expect(clippy::disallowed_methods, reason = "whoever runs the tests says where they are")]
    pub(crate) fn of(version: usize) -> Self {
        let told = std::env::var(ADDRESSES).unwrap_or_else(|_| {
            panic!("{ADDRESSES} is not set: run eval \"$(tools/postgres/start.sh)\" first")
        });
        let mut urls = told.split_whitespace();
        let url = if version == 15 { urls.next() } else { urls.nth(1) };
        Self { url: url.expect("there are two addresses").to_owned() }
    }

    /// The address of a schema.
    pub(crate) fn url(&self, schema: &str) -> String {
        format!("{}?schema={schema}", self.url)
    }

    /// The address of a schema for another role.
    pub(crate) fn url_of(&self, role: &str, schema: &str) -> String {
        let (_, rest) = self.url.rsplit_once('@').expect("the address names a user");
        format!("postgresql://{role}:{role}@{rest}?schema={schema}")
    }

    /// A name for a schema that nobody has.
    pub(crate) fn new_schema(&self) -> String {
        let folder = tempfile::tempdir().expect("a folder whose name nobody has");
        let name = folder.path().file_name().expect("it has a name").to_string_lossy();
        let name = name.replace(|c: char| !c.is_ascii_alphanumeric(), "").to_lowercase();
        format!("t{}_{name}", std::process::id())
    }

    pub(crate) fn drop_schema(&self, schema: &str) {
        self.run(&format!(
            "SET client_min_messages = error; DROP SCHEMA IF EXISTS {schema} CASCADE"
        ));
    }

    /// Takes everything out of the tables of a schema.
    pub(crate) fn empty(&self, schema: &str) {
        self.run(&format!(
            "DO $$ DECLARE one regclass; BEGIN
               FOR one IN SELECT c.oid FROM pg_class AS c
                 WHERE c.relnamespace = to_regnamespace('{schema}') AND c.relkind = 'r'
                   AND c.relname NOT IN ('head', 'migration')
               LOOP EXECUTE format('DELETE FROM %s', one); END LOOP;
               IF to_regclass('{schema}.head') IS NOT NULL THEN
                 EXECUTE 'UPDATE {schema}.head SET seq = 0, stamp = 0';
               END IF;
             END $$"
        ));
    }

    /// A connection that stays open, as a role, to a schema.
    pub(crate) fn connected_as(&self, role: &str, schema: &str) -> Connected {
        let url = self.url_of(role, schema);
        let (url, _) = url.split_once("?").expect("the address names a schema");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.expect("a runtime starts");
        let client = runtime.block_on(async {
            let (client, connection) =
                tokio_postgres::connect(url, NoTls).await.expect("the server is there");
            tokio::spawn(connection);
            first_column(&client, &format!("SET search_path = {schema}, public")).await;
            client
        });
        Connected { runtime, client }
    }

    /// Where it listens: host and port.
    pub(crate) fn place(&self) -> &str {
        let at = self.url.find("127.0.0.1:").expect("it is on loopback");
        let end = at + self.url[at..].find('/').expect("a database follows");
        &self.url[at..end]
    }

    /// The same address with another database, or by way of another place.
    pub(crate) fn elsewhere(url: &str, from: &str, to: &str) -> String {
        assert!(url.contains(from), "{url} has no {from}");
        url.replacen(from, to, 1)
    }

    /// Runs statements as an administrator, and returns the values of the first column.
    pub(crate) fn run(&self, sql: &str) -> Vec<String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime starts").block_on(async {
            let (client, connection) =
                tokio_postgres::connect(&self.url, NoTls).await.expect("the server is there");
            tokio::spawn(connection);
            first_column(&client, sql).await
        })
    }
}

async fn first_column(client: &Client, sql: &str) -> Vec<String> {
    let told = client.simple_query(sql).await.expect("the statement is right");
    let value = |message: &SimpleQueryMessage| {
        let SimpleQueryMessage::Row(row) = message else { return None };
        row.get(0).map(str::to_owned)
    };
    told.iter().filter_map(value).collect()
}

/// A connection that stays open.
pub(crate) struct Connected {
    runtime: tokio::runtime::Runtime,
    client: Client,
}

impl Connected {
    /// Runs statements, and returns the values of the first column.
    pub(crate) fn run(&self, sql: &str) -> Vec<String> {
        self.runtime.block_on(first_column(&self.client, sql))
    }
}
