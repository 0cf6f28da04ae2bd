//! An instance as an importer holds it: with its logger, and what it was told last.

use bekker::fmu::{FmuError, Instance};
use std::ffi::{CStr, CString};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// What a call comes to, as the interface has it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It was done.
    Ok = 0,
    /// It was refused.
    Error = 3,
    /// The instance can do nothing more.
    Fatal = 4,
}

impl Status {
    /// Category of what is logged with it.
    pub fn category(self) -> &'static CStr {
        match self {
            Status::Fatal => c"logStatusFatal",
            Status::Ok | Status::Error => c"logStatusError",
        }
    }
}

/// Says something to the importer.
pub type Log = Box<dyn Fn(Status, &str)>;

/// An instance as an importer holds it.
pub struct Component {
    pub instance: Instance,
    log: Log,
    /// Texts that were given out: they hold until the next call.
    pub texts: Vec<CString>,
    /// Whether it has panicked.
    broken: bool,
}

impl Component {
    /// An instance, or none after it was said why.
    pub fn new(resources: &Path, token: &str, log: Log) -> Option<Component> {
        let made = catch_unwind(AssertUnwindSafe(|| Instance::new(resources, token)));
        match made {
            Ok(Ok(instance)) => Some(Component { instance, log, texts: Vec::new(), broken: false }),
            Ok(Err(error)) => {
                log(Status::Error, &error.to_string());
                None
            }
            Err(panic) => {
                log(Status::Fatal, &panicked(&panic));
                None
            }
        }
    }

    /// Does something with it and says what went wrong. What panics never crosses to the
    /// importer; the instance does nothing more.
    pub fn guard(&mut self, call: impl FnOnce(&mut Component) -> Result<(), FmuError>) -> Status {
        if self.broken {
            return Status::Fatal;
        }
        match catch_unwind(AssertUnwindSafe(|| call(self))) {
            Ok(Ok(())) => Status::Ok,
            Ok(Err(error)) => self.refuse(&error.to_string()),
            Err(panic) => {
                self.broken = true;
                (self.log)(Status::Fatal, &panicked(&panic));
                Status::Fatal
            }
        }
    }

    /// Says why a call is refused.
    pub fn refuse(&self, cause: &str) -> Status {
        (self.log)(Status::Error, cause);
        Status::Error
    }
}

fn panicked(panic: &Box<dyn std::any::Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("bekker has a fault: {}", text.unwrap_or_else(|| "it panicked".into()))
}

/// A message or a value with an end, as C has texts. What holds a zero is cut there.
pub fn text(message: &str) -> CString {
    let whole = message.split('\0').next().unwrap_or_default();
    CString::new(whole).unwrap_or_default()
}
