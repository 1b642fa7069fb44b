//! What a job in Rust, compiled to WebAssembly, may ask of gluewheel. The names are those
//! that Lua and JavaScript jobs find under `gw`.
//!
//! ```sh
//! cargo build --release --target wasm32-wasip1
//! ```
//!
//! `http`, `kv` and `secret` answer only what the version's manifest grants; the error
//! says what is missing. A job fails by an exit code other than 0; the last line of
//! standard error is its message, so `fn main() -> Result<(), gluewheel::Error>` is enough.
//!
//! No dependencies: [`json`] has what the host's answers need.

pub mod json;

use json::Value;
use std::fmt;

/// Why the host refused something.
pub struct Error(pub String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

// As Display: it is what `main` prints of an error.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

pub type Result<T> = std::result::Result<T, Error>;

mod host {
    #[link(wasm_import_module = "gluewheel")]
    extern "C" {
        pub fn log(level: i32, address: *const u8, length: usize);
        pub fn param(address: *mut u8, capacity: usize) -> usize;
        pub fn shard_index() -> i32;
        pub fn shard_total() -> i32;
        pub fn progress(percent: f64, address: *const u8, length: usize);
        pub fn result(address: *const u8, length: usize);
        pub fn cancelled() -> i32;
        pub fn now() -> i64;
        pub fn sleep(ms: i64) -> i32;
        pub fn call(name: *const u8, name_length: usize, arguments: *const u8, arguments_length: usize) -> usize;
        pub fn answer(address: *mut u8, capacity: usize) -> usize;
    }
}

/// Levels of [`log_at`].
#[derive(Clone, Copy)]
pub enum Level {
    Plain,
    Debug,
    Info,
    Warn,
    Error,
}

/// Writes a line to the run's log.
pub fn log(line: &str) {
    log_at(Level::Plain, line);
}

/// Writes a line to the run's log, with its level before it.
pub fn log_at(level: Level, line: &str) {
    unsafe { host::log(level as i32, line.as_ptr(), line.len()) }
}

/// The job's parameter, or that of this run.
pub fn param() -> String {
    read(|address, capacity| unsafe { host::param(address, capacity) })
}

/// Which part of the work is this run's: index from 0, and total.
pub fn shard() -> (i32, i32) {
    unsafe { (host::shard_index(), host::shard_total()) }
}

/// Tells how far the run is, from 0 to 100, with a note.
pub fn progress(percent: f64, note: &str) {
    unsafe { host::progress(percent, note.as_ptr(), note.len()) }
}

/// Sets the text that the run answers if it succeeds; the last one counts.
pub fn result(text: &str) {
    unsafe { host::result(text.as_ptr(), text.len()) }
}

/// Whether the run shall end: it has half a second then.
pub fn cancelled() -> bool {
    unsafe { host::cancelled() != 0 }
}

/// The host's clock, in ms since 1970.
pub fn now() -> i64 {
    unsafe { host::now() }
}

/// Waits, unless the run is stopped first, which is an error.
pub fn sleep(ms: i64) -> Result<()> {
    match unsafe { host::sleep(ms) } {
        0 => Ok(()),
        _ => Err(Error("the run was stopped".into())),
    }
}

/// Makes a random UUID, version 4.
pub fn uuid() -> Result<String> {
    text("uuid", &[])
}

/// The digest of a text in hexadecimal: md5, sha1, sha256 or sha512.
pub fn hash(algorithm: &str, data: &str) -> Result<String> {
    text("hash", &[algorithm.into(), data.into()])
}

pub mod base64 {
    /// Encodes a text.
    pub fn encode(text: &str) -> crate::Result<String> {
        crate::text("base64.encode", &[text.into()])
    }

    /// Decodes to a text; what is not text is an error.
    pub fn decode(encoded: &str) -> crate::Result<String> {
        crate::text("base64.decode", &[encoded.into()])
    }
}

/// Reads a secret that the version's manifest names.
pub fn secret(name: &str) -> Result<String> {
    text("secret", &[name.into()])
}

/// The job's own small store. The manifest must have `kv: true`.
pub mod kv {
    use crate::{json::Value, Result};

    /// The text of a key, if it is there.
    pub fn get(key: &str) -> Result<Option<String>> {
        let found = crate::call("kv.get", &[key.into()])?;
        Ok(found.into_iter().next().and_then(Value::into_text))
    }

    /// Writes a text.
    pub fn set(key: &str, value: &str) -> Result<()> {
        crate::call("kv.set", &[key.into(), value.into()]).map(|_| ())
    }

    /// Removes a key, and tells whether it was there.
    pub fn delete(key: &str) -> Result<bool> {
        let was = crate::call("kv.delete", &[key.into()])?;
        Ok(was.first() == Some(&Value::Bool(true)))
    }

    /// The keys that begin with a prefix, sorted.
    pub fn list(prefix: &str) -> Result<Vec<String>> {
        match crate::call("kv.list", &[prefix.into()])?.into_iter().next() {
            Some(Value::List(keys)) => Ok(keys.into_iter().filter_map(Value::into_text).collect()),
            _ => Ok(Vec::new()),
        }
    }
}

/// HTTP requests, made by the host to servers that the manifest names.
pub mod http {
    use crate::{json::Value, Error, Result};

    /// An answer, whatever its status.
    pub struct Response {
        pub status: u16,
        pub headers: Vec<(String, String)>,
        pub body: String,
    }

    /// Asks for an address.
    pub fn get(url: &str) -> Result<Response> {
        response(crate::call("http.get", &[url.into()])?)
    }

    /// Sends a body to an address.
    pub fn post(url: &str, content_type: &str, body: &str) -> Result<Response> {
        let headers = Value::Table(vec![("Content-Type".into(), content_type.into())]);
        let options = Value::Table(vec![("headers".into(), headers)]);
        response(crate::call("http.post", &[url.into(), body.into(), options])?)
    }

    /// Makes a request from options: method, url, headers, body, timeout_ms.
    pub fn request(options: Value) -> Result<Response> {
        response(crate::call("http.request", &[options])?)
    }

    fn response(results: Vec<Value>) -> Result<Response> {
        let Some(Value::Table(fields)) = results.into_iter().next() else {
            return Err(Error("gw.http gave no answer".into()));
        };
        let mut answer = Response { status: 0, headers: Vec::new(), body: String::new() };
        for (name, value) in fields {
            match (name.as_str(), value) {
                ("status", Value::Number(n)) => answer.status = n as u16,
                ("body", Value::Text(text)) => answer.body = text,
                ("headers", Value::Table(headers)) => {
                    answer.headers = headers.into_iter().filter_map(|(k, v)| Some((k, v.into_text()?))).collect()
                }
                _ => {}
            }
        }
        Ok(answer)
    }
}

/// Reaches any function of `gw` by its name, such as `base64.encode`: the way to those
/// that are newer than this crate.
pub fn call(name: &str, arguments: &[Value]) -> Result<Vec<Value>> {
    let encoded = Value::List(arguments.to_vec()).to_string();
    unsafe { host::call(name.as_ptr(), name.len(), encoded.as_ptr(), encoded.len()) };
    let answer = read(|address, capacity| unsafe { host::answer(address, capacity) });
    let Some(Value::Table(fields)) = json::parse(&answer) else {
        return Err(Error(format!("gw.{name} gave an answer that is not JSON")));
    };
    let mut results = Vec::new();
    for (field, value) in fields {
        match (field.as_str(), value) {
            ("error", Value::Text(message)) => return Err(Error(message)),
            ("results", Value::List(values)) => results = values,
            _ => {}
        }
    }
    Ok(results)
}

/// Calls a function that gives one text.
fn text(name: &str, arguments: &[Value]) -> Result<String> {
    let first = call(name, arguments)?.into_iter().next();
    first.and_then(Value::into_text).ok_or_else(|| Error(format!("gw.{name} gave no text")))
}

/// Gets a text of unknown length: `f` writes what fits and gives the whole length.
fn read(f: impl Fn(*mut u8, usize) -> usize) -> String {
    let mut buffer = vec![0; 256];
    loop {
        let length = f(buffer.as_mut_ptr(), buffer.len());
        if length <= buffer.len() {
            buffer.truncate(length);
            return String::from_utf8_lossy(&buffer).into_owned();
        }
        buffer.resize(length, 0);
    }
}
