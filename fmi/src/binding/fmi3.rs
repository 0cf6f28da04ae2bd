//! The functions of FMI 3.0 as an importer calls them, by the declarations of its standard
//! (section 2 and 4.2). What a unit for co-simulation without events, clocks, derivatives and
//! structural parameters does not do is refused in words.
//!
//! Pointers are as the standard has them: an instance comes from [`fmi3InstantiateCoSimulation`]
//! and is not used after [`fmi3FreeInstance`], nor by two threads at once; arrays have their
//! length.

#![allow(unsafe_code, non_snake_case, clippy::missing_safety_doc)]

use super::pointer::{Reference, Text, given, put, refuse, with};
use super::values::{get, get_texts, no_variable, set};
use crate::component::{Component, Log, Status, text};
use bekker::fmu::Instance;
use std::ffi::{CStr, OsStr, c_void};
use std::path::Path;
use std::ptr;

type LogMessage = Option<unsafe extern "C" fn(*mut c_void, i32, Text, Text)>;

/// What is said through the importer's logger.
fn logger(environment: *mut c_void, log: LogMessage) -> Log {
    Box::new(move |status, message| {
        let category = status.category();
        if let Some(log) = log {
            // SAFETY: the importer's function with its own data, as it gave them together.
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

/// What is logged are refusals and faults alone, and those always are.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetDebugLogging(
    instance: *mut Component,
    _logging_on: u8,
    _count: usize,
    _categories: *const Text,
) -> Status {
    // SAFETY: as of `with`.
    unsafe { with(instance, |_| Ok(())) }
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
    // SAFETY: texts of the importer's.
    let (token, resources) = unsafe { (given(token), given(resources)) };
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
        // SAFETY: it was made by `Box::into_raw`, and is not used after this.
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
    // SAFETY: as of `with`.
    unsafe {
        with(instance, |own| {
            own.instance.start_at(start_time)?;
            own.instance.enter_initialization()
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3ExitInitializationMode(instance: *mut Component) -> Status {
    // SAFETY: as of `with`.
    unsafe { with(instance, |own| own.instance.exit_initialization()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3Terminate(instance: *mut Component) -> Status {
    // SAFETY: as of `with`.
    unsafe { with(instance, |own| own.instance.terminate()) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3Reset(instance: *mut Component) -> Status {
    // SAFETY: as of `with`.
    unsafe { with(instance, |own| own.instance.reset()) }
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
    // SAFETY: as of `with`; places of the importer's.
    unsafe {
        with(instance, |own| {
            let stepped = own.instance.step(from, length);
            put(event_handling_needed, false);
            put(terminate_simulation, false);
            put(early_return, false);
            put(last_successful_time, own.instance.time());
            stepped
        })
    }
}

/// Functions that get or set all values of one type.
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
            // SAFETY: as of `get`.
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
            // SAFETY: as of `set`.
            unsafe { set(instance, references, count, values, value_count, $write) }
        }
    )*};
}

access! {
    fmi3GetFloat64 fmi3SetFloat64 f64: Instance::float64, Instance::set_float64;
    fmi3GetInt32 fmi3SetInt32 i32: Instance::int32, Instance::set_int32;
    // a byte in C
    fmi3GetBoolean fmi3SetBoolean u8:
        |own: &Instance, at| own.boolean(at).map(u8::from), |_, at, _| no_variable(at, "Boolean that can be set");
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
    // SAFETY: as of `get_texts`.
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
    let none = |_: &mut Instance, at, _| no_variable(at, "String that can be set");
    // SAFETY: as of `set`.
    unsafe { set(instance, references, count, values, value_count, none) }
}

/// Other kinds of units, of which there is none.
macro_rules! no_instances {
    ($($name:ident $log:literal;)*) => {$(
        /// There is no such unit.
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

/// What this unit does not do. Arguments beyond the instance are not looked at: in the calling
/// conventions of C on all platforms of the standard the caller puts them away.
macro_rules! refused {
    ($($name:ident)*) => {$(
        /// Not offered by this unit.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name(instance: *mut Component) -> Status {
            // SAFETY: as of `refuse`.
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
