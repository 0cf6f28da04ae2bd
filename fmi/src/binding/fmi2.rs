//! Functions of FMI 2.0 for co-simulation, as declared by the standard (sections 2.1 and 4.2).
//!
//! The rules for pointers are those of FMI 3.0.

#![allow(unsafe_code, non_snake_case, clippy::missing_safety_doc)]

use super::pointer::{Reference, Text, optional_str, refuse, with_instance};
use super::values::{get, get_texts, no_variable, set};
use crate::component::{Component, Log, Status, text};
use bekker::fmu::FmuInstance;
use std::ffi::{CStr, CString, c_void};
use std::path::PathBuf;
use std::ptr;

/// Callback functions of the importer.
#[repr(C)]
pub struct Callbacks {
    logger: Option<unsafe extern "C" fn(*mut c_void, Text, i32, Text, Text, ...)>,
    _allocate_memory: *const c_void,
    _free_memory: *const c_void,
    _step_finished: *const c_void,
    environment: *mut c_void,
}

/// Type of a unit for co-simulation.
const CO_SIMULATION: i32 = 1;

/// Returns the log that calls the importer's logger.
fn logger(name: CString, callbacks: &Callbacks) -> Log {
    let Callbacks { logger, environment, .. } = *callbacks;
    Box::new(move |status, message| {
        let (name, category) = (name.as_ptr(), status.category().as_ptr());
        // the importer uses the message as a format of `printf`
        let message = text(&message.replace('%', "%%"));
        if let Some(logger) = logger {
            // SAFETY: the function and the data are those that the importer passed together.
            unsafe { logger(environment, name, status as i32, category, message.as_ptr()) }
        }
    })
}

/// Returns the path of a file URI.
fn path(location: &CStr) -> Option<PathBuf> {
    let location = location.to_str().ok()?;
    let path = location.strip_prefix("file://").or_else(|| location.strip_prefix("file:"))?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    // file:///C:/units
    let drive = cfg!(windows).then(|| path.strip_prefix('/')).flatten();
    decoded(drive.unwrap_or(path)).map(PathBuf::from)
}

/// Decodes the escapes of a URI, such as `%20`; `None` if one is invalid or the result is not
/// UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend(rest.as_bytes());
    }
    String::from_utf8(bytes).ok()
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetTypesPlatform() -> Text {
    c"default".as_ptr()
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi2GetVersion() -> Text {
    c"2.0".as_ptr()
}

/// Does nothing: errors are always logged, and nothing else is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetDebugLogging(
    instance: *mut Component,
    _logging_on: i32,
    _count: usize,
    _categories: *const Text,
) -> Status {
    // SAFETY: as for `with`.
    unsafe { with_instance(instance, |_| Ok(())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2Instantiate(
    name: Text,
    kind: i32,
    token: Text,
    resources: Text,
    callbacks: *const Callbacks,
    _visible: i32,
    _logging_on: i32,
) -> *mut Component {
    // SAFETY: strings and callbacks of the importer, or null.
    let (name, token, resources, callbacks) = unsafe {
        (optional_str(name), optional_str(token), optional_str(resources), callbacks.as_ref())
    };
    let Some(callbacks) = callbacks else { return ptr::null_mut() };
    let log = logger(name.unwrap_or_default().to_owned(), callbacks);
    let refused = |cause: &str| {
        log(Status::Error, cause);
        ptr::null_mut()
    };
    if kind != CO_SIMULATION {
        return refused("this unit is for co-simulation, not for model exchange");
    }
    let Some(token) = token.and_then(|token| token.to_str().ok()) else {
        return refused("the GUID must be a text");
    };
    let Some(resources) = resources.and_then(path) else {
        return refused("fmuResourceLocation must be a URI of a folder, file:///...");
    };
    let made = Component::new(&resources, token, log);
    made.map_or(ptr::null_mut(), |component| Box::into_raw(Box::new(component)))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2FreeInstance(instance: *mut Component) {
    if !instance.is_null() {
        // SAFETY: it was created by `Box::into_raw` and is not used after this.
        drop(unsafe { Box::from_raw(instance) });
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetupExperiment(
    instance: *mut Component,
    _tolerance_defined: i32,
    _tolerance: f64,
    start_time: f64,
    _stop_time_defined: i32,
    _stop_time: f64,
) -> Status {
    // SAFETY: as for `with`.
    unsafe { with_instance(instance, |own| own.instance.start_at(start_time)) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2DoStep(
    instance: *mut Component,
    from: f64,
    length: f64,
    _no_state_before: i32,
) -> Status {
    // SAFETY: as for `with`.
    unsafe { with_instance(instance, |own| own.instance.step(from, length)) }
}

/// Functions with an instance as the only argument.
macro_rules! transitions {
    ($($name:ident $call:ident;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(instance: *mut Component) -> Status {
            // SAFETY: as for `with`.
            unsafe { with_instance(instance, |own| own.instance.$call()) }
        }
    )*};
}

transitions! {
    fmi2EnterInitializationMode enter_initialization;
    fmi2ExitInitializationMode exit_initialization;
    fmi2Terminate terminate;
    fmi2Reset reset;
}

/// Functions that get or set values of one type.
macro_rules! access {
    ($($get:ident $set:ident $type:ty: $read:expr, $write:expr;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(
            instance: *mut Component,
            references: *const Reference,
            count: usize,
            values: *mut $type,
        ) -> Status {
            // SAFETY: as for `get`: there are as many values as references.
            unsafe { get(instance, references, count, values, count, $read) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $set(
            instance: *mut Component,
            references: *const Reference,
            count: usize,
            values: *const $type,
        ) -> Status {
            // SAFETY: as for `set`: there are as many values as references.
            unsafe { set(instance, references, count, values, count, $write) }
        }
    )*};
}

access! {
    fmi2GetReal fmi2SetReal f64: FmuInstance::float64, FmuInstance::set_float64;
    fmi2GetInteger fmi2SetInteger i32: FmuInstance::int32, FmuInstance::set_int32;
    // an `int` in C
    fmi2GetBoolean fmi2SetBoolean i32:
        |own: &FmuInstance, at| own.boolean(at).map(i32::from),
        |_, at, _| no_variable(at, "Boolean that can be set");
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2GetString(
    instance: *mut Component,
    references: *const Reference,
    count: usize,
    values: *mut Text,
) -> Status {
    // SAFETY: as for `get_texts`: there are as many values as references.
    unsafe { get_texts(instance, references, count, values, count) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi2SetString(
    instance: *mut Component,
    references: *const Reference,
    count: usize,
    values: *const Text,
) -> Status {
    let none = |_: &mut FmuInstance, at, _| no_variable(at, "String that can be set");
    // SAFETY: as for `set`: there are as many values as references.
    unsafe { set(instance, references, count, values, count, none) }
}

/// Functions that this unit does not support.
///
/// Arguments after the instance are ignored. This is valid because in the C calling conventions of
/// all platforms of the standard the caller removes the arguments.
macro_rules! refused {
    ($($name:ident)*) => {$(
        /// Fails: this unit does not support the function.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(instance: *mut Component) -> Status {
            // SAFETY: as for `refuse`.
            unsafe { refuse(instance, stringify!($name)) }
        }
    )*};
}

refused! {
    fmi2SetRealInputDerivatives fmi2GetRealOutputDerivatives fmi2GetDirectionalDerivative
    fmi2CancelStep fmi2GetStatus fmi2GetRealStatus fmi2GetIntegerStatus fmi2GetBooleanStatus
    fmi2GetStringStatus fmi2EnterEventMode fmi2NewDiscreteStates fmi2EnterContinuousTimeMode
    fmi2CompletedIntegratorStep fmi2SetTime fmi2SetContinuousStates fmi2GetDerivatives
    fmi2GetEventIndicators fmi2GetContinuousStates fmi2GetNominalsOfContinuousStates
}
