//! As much JSON as calls of the host need.

use std::fmt;

/// A plain value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Table(Vec<(String, Value)>),
}

impl Value {
    /// The text, if it is one.
    pub fn into_text(self) -> Option<String> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.into())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Value::Number(number)
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        Value::Bool(truth)
    }
}

/// As JSON.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Null => f.write_str("null"),
            Value::Bool(truth) => write!(f, "{truth}"),
            Value::Number(number) if number.is_finite() => write!(f, "{number}"),
            Value::Number(_) => f.write_str("null"),
            Value::Text(text) => quote(f, text),
            Value::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i > 0 { "," } else { "" })?;
                }
                f.write_str("]")
            }
            Value::Table(fields) => {
                f.write_str("{")?;
                for (i, (name, value)) in fields.iter().enumerate() {
                    f.write_str(if i > 0 { "," } else { "" })?;
                    quote(f, name)?;
                    write!(f, ":{value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

fn quote(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            c if c < ' ' => write!(f, "\\u{:04x}", c as u32)?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

/// Reads a JSON text; `None` if it is none.
pub fn parse(text: &str) -> Option<Value> {
    let mut reader = Reader { rest: text.as_bytes(), depth: 0 };
    let value = reader.value()?;
    reader.skip_space();
    reader.rest.is_empty().then_some(value)
}

const MAX_DEPTH: usize = 100;

struct Reader<'a> {
    rest: &'a [u8],
    depth: usize,
}

impl Reader<'_> {
    fn skip_space(&mut self) {
        while let [b' ' | b'\t' | b'\n' | b'\r', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    fn take(&mut self, word: &str) -> Option<()> {
        self.skip_space();
        self.rest = self.rest.strip_prefix(word.as_bytes())?;
        Some(())
    }

    fn value(&mut self) -> Option<Value> {
        self.skip_space();
        match self.rest.first()? {
            b'n' => self.take("null").map(|()| Value::Null),
            b't' => self.take("true").map(|()| Value::Bool(true)),
            b'f' => self.take("false").map(|()| Value::Bool(false)),
            b'"' => self.text().map(Value::Text),
            b'[' => {
                let mut items = Vec::new();
                self.each("[", "]", |r| r.value().map(|v| items.push(v)))?;
                Some(Value::List(items))
            }
            b'{' => {
                let mut fields = Vec::new();
                self.each("{", "}", |r| {
                    r.skip_space();
                    let name = r.text()?;
                    r.take(":")?;
                    r.value().map(|v| fields.push((name, v)))
                })?;
                Some(Value::Table(fields))
            }
            _ => self.number(),
        }
    }

    /// Reads what stands between two brackets, with commas.
    fn each(&mut self, open: &str, close: &str, mut one: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        self.take(open)?;
        if self.take(close).is_none() {
            one(self)?;
            while self.take(",").is_some() {
                one(self)?;
            }
            self.take(close)?;
        }
        self.depth -= 1;
        Some(())
    }

    fn number(&mut self) -> Option<Value> {
        let end = self.rest.iter().position(|b| !b"+-.eE0123456789".contains(b)).unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        self.rest = rest;
        std::str::from_utf8(digits).ok()?.parse().ok().map(Value::Number)
    }

    fn text(&mut self) -> Option<String> {
        let mut out = Vec::new();
        self.rest = self.rest.strip_prefix(b"\"")?;
        loop {
            let (first, rest) = self.rest.split_first()?;
            self.rest = rest;
            match first {
                b'"' => return String::from_utf8(out).ok(),
                b'\\' => {
                    let mut encoded = [0; 4];
                    out.extend_from_slice(self.escaped()?.encode_utf8(&mut encoded).as_bytes());
                }
                byte => out.push(*byte),
            }
        }
    }

    /// Reads what follows a backslash.
    fn escaped(&mut self) -> Option<char> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(match first {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let high = self.unit()?;
                if !(0xd800..0xdc00).contains(&high) {
                    return char::from_u32(high);
                }
                self.rest = self.rest.strip_prefix(b"\\u")?;
                let low = self.unit()?.checked_sub(0xdc00)?;
                return char::from_u32(0x10000 + ((high - 0xd800) << 10) + low);
            }
            byte => *byte as char,
        })
    }

    fn unit(&mut self) -> Option<u32> {
        let (digits, rest) = self.rest.split_at_checked(4)?;
        self.rest = rest;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, Value};

    #[test]
    fn reads_what_it_writes() {
        let text = r#"{"a":[1,-2.5,true,false,null,""],"ü":{"\u0001":"say \"\\\" 😀"}}"#;
        let value = parse(text).unwrap();
        assert_eq!(value.to_string(), text);
        assert_eq!(parse(r#""\ud83d\ude00\n\/""#), Some(Value::Text("😀\n/".into())));
    }

    #[test]
    fn refuses_what_is_no_json() {
        for text in ["", "nul", "[1,]", "{\"a\"}", "\"", "\"\\u12\"", "\"\\ud83d\"", "1 2", "--1"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(parse(&"[".repeat(1000)), None);
    }
}
