//! TLS for the connection to a server: rustls with the roots that are built in, or with a file of them.

use std::io;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{CertificateError, ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::{TlsConnector, client};

use crate::{Error, Result};

/// How connections are encrypted. The name and the certificate of the server are always checked.
#[derive(Clone)]
pub(super) struct Tls {
    config: Arc<ClientConfig>,
}

impl Tls {
    /// Trusts the authorities in a file, or those that are built in.
    pub(super) fn new(roots: Option<&Path>) -> Result<Self> {
        let mut trusted = RootCertStore::empty();
        if let Some(path) = roots {
            let bad = |why: String| {
                Error::BadAddress(format!("the certificates in {}: {why}", path.display()))
            };
            let found =
                CertificateDer::pem_file_iter(path).map_err(|error| bad(error.to_string()))?;
            for one in found {
                let one = one.map_err(|error| bad(error.to_string()))?;
                trusted.add(one).map_err(|error| bad(error.to_string()))?;
            }
            if trusted.is_empty() {
                return Err(bad("there is none".to_owned()));
            }
        } else {
            trusted.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider knows the versions that rustls does")
            .with_root_certificates(trusted)
            .with_no_client_auth();
        Ok(Self { config: Arc::new(config) })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Encrypted<S>;
    type TlsConnect = Handshake;
    type Error = io::Error;

    fn make_tls_connect(&mut self, domain: &str) -> io::Result<Handshake> {
        let name = ServerName::try_from(domain.to_owned()).map_err(io::Error::other)?;
        Ok(Handshake { connector: TlsConnector::from(Arc::clone(&self.config)), name })
    }
}

/// A connection that is about to be encrypted.
pub(super) struct Handshake {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Handshake {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            let connected = self.connector.connect(self.name, stream).await;
            Ok(Encrypted(connected.map_err(in_words)?))
        })
    }
}

/// A certificate that is refused, with what to do about it.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "for what else is wrong with one there is no advice"
)]
fn in_words(error: io::Error) -> io::Error {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    let Some(rustls::Error::InvalidCertificate(why)) = inner else { return error };
    let told = match why {
        CertificateError::UnknownIssuer => {
            "its certificate is signed by an authority that is not trusted here; name the file with the right one: \
             ?sslrootcert=FILE in the address, or PGSSLROOTCERT"
                .to_owned()
        }
        CertificateError::NotValidForNameContext { expected, presented } => format!(
            "its certificate is for {} and not for {}; write the name that it is for into the address, or have one made \
             for this name",
            presented.join(", "),
            expected.to_str()
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            "its certificate has expired; whoever runs the server renews it".to_owned()
        }
        other => format!("its certificate is refused: {other}"),
    };
    io::Error::new(error.kind(), told)
}

/// An encrypted connection.
pub(super) struct Encrypted<S>(client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}
