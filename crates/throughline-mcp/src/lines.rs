//! The wire: one JSON-RPC message a line. What cannot be read is answered, and the next line is read.

use std::io;
use std::sync::Arc;

use rmcp::model::{ClientRequest, ErrorCode, ErrorData, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;

/// Bytes of one message at most: several times what the largest argument may hold.
const LINE_MAX: usize = 4 << 20;

/// Messages by lines.
pub(crate) struct Lines<R, W> {
    read: BufReader<R>,
    /// What was read of the line at hand. Kept here, for reading may be given up and begun again.
    line: Vec<u8>,
    /// The rest of a line that is too long is skipped.
    skipping: bool,
    /// Whether the client has said hello. Before that nobody waits for what is not a request.
    begun: bool,
    write: Arc<Mutex<Option<W>>>,
}

/// What reading a line came to.
enum LineRead {
    Line,
    TooLong,
    End,
}

impl<R: AsyncRead + Unpin, W: AsyncWrite + Unpin + Send + 'static> Lines<R, W> {
    pub(crate) fn new(read: R, write: W) -> Self {
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            skipping: false,
            begun: false,
            write: Arc::new(Mutex::new(Some(write))),
        }
    }

    /// Reads up to the end of a line. Between looking and taking nothing is awaited, so that it can
    /// be given up at any time.
    async fn next_line(&mut self) -> LineRead {
        loop {
            let Ok(found) = self.read.fill_buf().await else { return LineRead::End };
            if found.is_empty() {
                return LineRead::End;
            }
            let end = found.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(found.len(), |at| at + 1);
            if !self.skipping {
                self.line.extend_from_slice(&found[..taken]);
            }
            self.read.consume(taken);
            if self.skipping {
                self.skipping = end.is_none();
            } else if self.line.len() > LINE_MAX {
                self.skipping = end.is_none();
                return LineRead::TooLong;
            } else if end.is_some() {
                return LineRead::Line;
            }
        }
    }

    /// Sends an answer by itself, so that giving up reading does not tear it.
    fn say(&self, error: ErrorData, id: Option<RequestId>) {
        let message = TxJsonRpcMessage::<RoleServer>::error(error, id);
        let write = self.write.clone();
        tokio::spawn(async move { put(&write, &message).await.ok() });
    }

    /// Reads a message, or answers why it is none.
    fn understand(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_ascii();
        if line.is_empty() {
            return None;
        }
        let message = match serde_json::from_slice::<RxJsonRpcMessage<RoleServer>>(line) {
            Ok(message) => message,
            Err(error) => {
                self.explain(line, &error);
                return None;
            }
        };
        if let JsonRpcMessage::Request(one) = &message {
            self.begun |= !matches!(
                one.request,
                ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_)
            ) && (matches!(one.request, ClientRequest::InitializeRequest(_))
                || has_meta(line));
            return Some(message);
        }
        self.begun.then_some(message)
    }

    fn explain(&self, line: &[u8], error: &serde_json::Error) {
        let Ok(value) = serde_json::from_slice::<Value>(line) else {
            let message = format!("this is not JSON: {error}");
            self.say(ErrorData::parse_error(message, None), None);
            return;
        };
        let id = value.get("id").and_then(|id| serde_json::from_value(id.clone()).ok());
        // A notification that makes no sense is nobody's question.
        if id.is_none() && value.get("method").is_some() {
            return;
        }
        let message = if value.is_array() {
            "send one message per line, not a batch".to_owned()
        } else {
            format!("this is not a message of the protocol: {error}")
        };
        self.say(ErrorData::invalid_request(message, None), id);
    }
}

/// Whether a request says which protocol it speaks.
fn has_meta(line: &[u8]) -> bool {
    serde_json::from_slice::<Value>(line).is_ok_and(|value| {
        value.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion").is_some()
    })
}

/// Writes one message and its end in one go.
async fn put<W: AsyncWrite + Unpin>(
    write: &Mutex<Option<W>>,
    message: &TxJsonRpcMessage<RoleServer>,
) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(message)?;
    bytes.push(b'\n');
    let mut write = write.lock().await;
    let write = write.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    write.write_all(&bytes).await?;
    write.flush().await
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Unpin + Send,
    W: AsyncWrite + Unpin + Send + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let write = self.write.clone();
        async move { put(&write, &message).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            match self.next_line().await {
                // The last line may lack its end.
                LineRead::End if !self.line.is_empty() && !self.skipping => {
                    if let Some(message) = self.understand() {
                        return Some(message);
                    }
                }
                LineRead::End => return None,
                LineRead::TooLong => {
                    let id = id_in(&self.line);
                    self.line = Vec::new();
                    let message = format!("a message may have {LINE_MAX} bytes at most");
                    self.say(ErrorData::new(ErrorCode::INVALID_REQUEST, message, None), id);
                }
                LineRead::Line => {
                    if let Some(message) = self.understand() {
                        return Some(message);
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.write.lock().await.take();
        Ok(())
    }
}

/// The id of a message of which only the beginning was read, where it stands at the beginning.
fn id_in(line: &[u8]) -> Option<RequestId> {
    let head = String::from_utf8_lossy(&line[..line.len().min(256)]).into_owned();
    let (_, rest) = head.split_once("\"id\":")?;
    let rest = rest.trim_start();
    let end = if let Some(text) = rest.strip_prefix('"') {
        text.find('"')? + 2
    } else {
        rest.find(|c: char| !c.is_ascii_digit())?
    };
    serde_json::from_str(&rest[..end]).ok()
}
