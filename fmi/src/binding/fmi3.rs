//! Functions of FMI 3.0, as declared by the standard (sections 2 and 4.2).
//!
//! The unit is one for co-simulation without events, clocks, derivatives and structural parameters.
//! Functions that it does not support return an error with a message.
//!
//! Pointers follow the standard. An instance is created by [`fmi3InstantiateCoSimulation`], is not
//! used after [`fmi3FreeInstance`], and is not used by two threads at the same time. Arrays have
//! the given length.

#![allow(unsafe_code, non_snake_case, clippy::missing_safety_doc)]

use super::pointer::{Reference, Text, optional_str, put, refuse, with_instance};
use super::values::{get, get_texts, no_variable, set};
use crate::component::{Component, Log, Status, text};
use bekker::fmu::FmuInstance;
use std::ffi::{CStr, OsStr, c_void};
use std::path::Path;
use std::ptr;

type LogMessage = Option<unsafe extern "C" fn(*mut c_void, i32, Text, Text)>;

/// Returns the log that calls the importer's logger.
fn logger(environment: *mut c_void, log: LogMessage) -> Log {
    Box::new(move |status, message| {
        let category = status.category();
        if let Some(log) = log {
            // SAFETY: the function and the data are those that the importer passed together.
            unsafe { log(environment, status as i32, category.as_ptr(), text(message).as_ptr()) }
        }
    })
}

#[cfg(unix)]
fn path(text: &CStr) -> Option<&Path> {
    use std::os::unix::ffi::OsStrExt;
    Some(Path::new(OsStr::from_bytes(text.to_bytes())))
}

#[cfg(not(unix))]
fn path(text: &CStr) -> Option<&Path> {
    text.to_str().ok().map(|text| Path::new(OsStr::new(text)))
}

#[unsafe(no_mangle)]
pub extern "C" fn fmi3GetVersion() -> Text {
    c"3.0".as_ptr()
}

/// Does nothing: errors are always logged, and nothing else is.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetDebugLogging(
    instance: *mut Component,
    _logging_on: u8,
    _count: usize,
    _categories: *const Text,
) -> Status {
    // SAFETY: as for `with`.
    unsafe { with_instance(instance, |_| Ok(())) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3InstantiateCoSimulation(
    _name: Text,
    token: Text,
    resources: Text,
    _visible: u8,
    _logging_on: u8,
    event_mode_used: u8,
    _early_return_allowed: u8,
    _intermediate: *const Reference,
    intermediates: usize,
    environment: *mut c_void,
    log: LogMessage,
    _intermediate_update: *const c_void,
) -> *mut Component {
    let log = logger(environment, log);
    let refused = |cause: &str| {
        log(Status::Error, cause);
        ptr::null_mut()
    };
    if event_mode_used != 0 || intermediates > 0 {
        return refused("this unit has neither events nor intermediate updates");
    }
    // SAFETY: strings of the importer.
    let (token, resources) = unsafe { (optional_str(token), optional_str(resources)) };
    let Some(token) = token.and_then(|token| token.to_str().ok()) else {
        return refused("the instantiation token must be a text");
    };
    let Some(resources) = resources.and_then(path) else {
        return refused("resourcePath must be given: this unit's scenario lies there");
    };
    let made = Component::new(resources, token, log);
    made.map_or(ptr::null_mut(), |component| Box::into_raw(Box::new(component)))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeInstance(instance: *mut Component) {
    if !instance.is_null() {
        // SAFETY: it was created by `Box::into_raw` and is not used after this.
        drop(unsafe { Box::from_raw(instance) });
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3EnterInitializationMode(
    instance: *mut Component,
    _tolerance_defined: u8,
    _tolerance: f64,
    start_time: f64,
    _stop_time_defined: u8,
    _stop_time: f64,
) -> Status {
    // SAFETY: as for `with`.
    unsafe {
        with_instance(instance, |own| {
            own.instance.start_at(start_time)?;
            own.instance.enter_initialization()
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3ExitInitializationMode(instance: *mut Component) -> Status {
    // SAFETY: as for `with`.
    unsafe { with_instance(instance, |own| own.instance.exit_initialization()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3Terminate(instance: *mut Component) -> Status {
    // SAFETY: as for `with`.
    unsafe { with_instance(instance, |own| own.instance.terminate()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3Reset(instance: *mut Component) -> Status {
    // SAFETY: as for `with`.
    unsafe { with_instance(instance, |own| own.instance.reset()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3DoStep(
    instance: *mut Component,
    from: f64,
    length: f64,
    _no_state_before: u8,
    event_handling_needed: *mut bool,
    terminate_simulation: *mut bool,
    early_return: *mut bool,
    last_successful_time: *mut f64,
) -> Status {
    // SAFETY: as for `with`; the destinations are the importer's variables.
    unsafe {
        with_instance(instance, |own| {
            let stepped = own.instance.step(from, length);
            put(event_handling_needed, false);
            put(terminate_simulation, false);
            put(early_return, false);
            put(last_successful_time, own.instance.time());
            stepped
        })
    }
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
            value_count: usize,
        ) -> Status {
            // SAFETY: as for `get`.
            unsafe { get(instance, references, count, values, value_count, $read) }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $set(
            instance: *mut Component,
            references: *const Reference,
            count: usize,
            values: *const $type,
            value_count: usize,
        ) -> Status {
            // SAFETY: as for `set`.
            unsafe { set(instance, references, count, values, value_count, $write) }
        }
    )*};
}

access! {
    fmi3GetFloat64 fmi3SetFloat64 f64: FmuInstance::float64, FmuInstance::set_float64;
    fmi3GetInt32 fmi3SetInt32 i32: FmuInstance::int32, FmuInstance::set_int32;
    // a byte in C
    fmi3GetBoolean fmi3SetBoolean u8:
        |own: &FmuInstance, at| own.boolean(at).map(u8::from), |_, at, _| no_variable(at, "Boolean that can be set");
    fmi3GetFloat32 fmi3SetFloat32 f32:
        |_, at| no_variable(at, "Float32"), |_, at, _| no_variable(at, "Float32");
    fmi3GetInt8 fmi3SetInt8 i8:
        |_, at| no_variable(at, "Int8"), |_, at, _| no_variable(at, "Int8");
    fmi3GetUInt8 fmi3SetUInt8 u8:
        |_, at| no_variable(at, "UInt8"), |_, at, _| no_variable(at, "UInt8");
    fmi3GetInt16 fmi3SetInt16 i16:
        |_, at| no_variable(at, "Int16"), |_, at, _| no_variable(at, "Int16");
    fmi3GetUInt16 fmi3SetUInt16 u16:
        |_, at| no_variable(at, "UInt16"), |_, at, _| no_variable(at, "UInt16");
    fmi3GetUInt32 fmi3SetUInt32 u32:
        |_, at| no_variable(at, "UInt32"), |_, at, _| no_variable(at, "UInt32");
    fmi3GetInt64 fmi3SetInt64 i64:
        |_, at| no_variable(at, "Int64"), |_, at, _| no_variable(at, "Int64");
    fmi3GetUInt64 fmi3SetUInt64 u64:
        |_, at| no_variable(at, "UInt64"), |_, at, _| no_variable(at, "UInt64");
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetString(
    instance: *mut Component,
    references: *const Reference,
    count: usize,
    values: *mut Text,
    value_count: usize,
) -> Status {
    // SAFETY: as for `get_texts`.
    unsafe { get_texts(instance, references, count, values, value_count) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetString(
    instance: *mut Component,
    references: *const Reference,
    count: usize,
    values: *const Text,
    value_count: usize,
) -> Status {
    let none = |_: &mut FmuInstance, at, _| no_variable(at, "String that can be set");
    // SAFETY: as for `set`.
    unsafe { set(instance, references, count, values, value_count, none) }
}

/// Constructors of other kinds of units, which this library does not have.
macro_rules! no_instances {
    ($($name:ident $log:literal;)*) => {$(
        /// Fails: this library has no unit of this kind.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(
            _name: Text,
            _token: Text,
            _resources: Text,
            _visible: u8,
            _logging_on: u8,
            environment: *mut c_void,
            log: LogMessage,
        ) -> *mut Component {
            logger(environment, log)(Status::Error, $log);
            ptr::null_mut()
        }
    )*};
}

no_instances! {
    fmi3InstantiateModelExchange "this unit is for co-simulation, not for model exchange";
    fmi3InstantiateScheduledExecution "this unit is for co-simulation, not for scheduled execution";
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
    fmi3EnterEventMode fmi3EnterStepMode fmi3EnterConfigurationMode fmi3ExitConfigurationMode
    fmi3GetBinary fmi3SetBinary fmi3GetClock fmi3SetClock
    fmi3GetNumberOfVariableDependencies fmi3GetVariableDependencies
    fmi3GetDirectionalDerivative fmi3GetAdjointDerivative fmi3GetOutputDerivatives
    fmi3GetIntervalDecimal fmi3GetIntervalFraction fmi3GetShiftDecimal fmi3GetShiftFraction
    fmi3SetIntervalDecimal fmi3SetIntervalFraction fmi3SetShiftDecimal fmi3SetShiftFraction
    fmi3EvaluateDiscreteStates fmi3UpdateDiscreteStates
    fmi3EnterContinuousTimeMode fmi3CompletedIntegratorStep fmi3SetTime fmi3SetContinuousStates
    fmi3GetContinuousStateDerivatives fmi3GetEventIndicators fmi3GetContinuousStates
    fmi3GetNominalsOfContinuousStates fmi3GetNumberOfEventIndicators
    fmi3GetNumberOfContinuousStates fmi3ActivateModelPartition
}
