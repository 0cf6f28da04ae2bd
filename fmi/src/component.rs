//! Instance of an importer, with its logger and the strings returned last.

use bekker::fmu::{FmuError, FmuInstance};
use std::ffi::{CStr, CString};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// Status of a call, as defined by the interface.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The call succeeded.
    Ok = 0,
    /// The call was refused.
    Error = 3,
    /// The instance cannot be used any more.
    Fatal = 4,
}

impl Status {
    /// Returns the category of log messages with this status.
    pub fn category(self) -> &'static CStr {
        match self {
            Status::Fatal => c"logStatusFatal",
            Status::Ok | Status::Error => c"logStatusError",
        }
    }
}

/// Log of the importer.
pub type Log = Box<dyn Fn(Status, &str)>;

/// Instance of an importer.
pub struct Component {
    pub instance: FmuInstance,
    log: Log,
    /// Returned strings, which are valid until the next call.
    pub texts: Vec<CString>,
    /// Whether it has panicked.
    broken: bool,
}

impl Component {
    /// Creates an instance; logs the reason and returns `None` if it cannot.
    pub fn new(resources: &Path, token: &str, log: Log) -> Option<Component> {
        let made = catch_unwind(AssertUnwindSafe(|| FmuInstance::new(resources, token)));
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

    /// Calls a function and logs its error.
    ///
    /// A panic is not propagated to the importer; the instance cannot be used any more.
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

    /// Logs the reason for a refused call.
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

/// Converts a message or a value to a C string, truncated at the first zero.
pub fn text(message: &str) -> CString {
    let whole = message.split('\0').next().unwrap_or_default();
    CString::new(whole).unwrap_or_default()
}
