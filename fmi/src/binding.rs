//! The functions of FMI 3.0 as an importer calls them, by the declarations of its standard
//! (section 2 and 4.2). What a unit for co-simulation without events, clocks, derivatives and
//! structural parameters does not do is refused in words.
//!
//! Pointers are as the standard has them: an instance comes from [`fmi3InstantiateCoSimulation`]
//! and is not used after [`fmi3FreeInstance`], nor by two threads at once; arrays have their
//! length.

// the one place where C calls in; names are those of the standard
#![allow(unsafe_code, non_snake_case, clippy::missing_safety_doc)]

use crate::component::{Component, Log, Status, text};
use bekker::fmu::{FmuError, Instance, SavedState};
use std::ffi::{CStr, OsStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::path::Path;
use std::{ptr, slice};

type Text = *const c_char;
type Reference = u32;
type LogMessage = Option<unsafe extern "C" fn(*mut c_void, i32, Text, Text)>;

/// What is said through the importer's logger.
fn logger(environment: *mut c_void, log: LogMessage) -> Log {
    Box::new(move |status, message| {
        let category = match status {
            Status::Fatal => c"logStatusFatal",
            Status::Ok | Status::Error => c"logStatusError",
        };
        if let Some(log) = log {
            // SAFETY: the importer's function with its own data, as it gave them together.
            unsafe { log(environment, status as i32, category.as_ptr(), text(message).as_ptr()) }
        }
    })
}

/// A text of the importer's, if it is one.
unsafe fn given<'a>(text: Text) -> Option<&'a CStr> {
    // SAFETY: not null, and ended by a zero as the standard has it.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
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

/// An array of the importer's; empty ones may be null.
unsafe fn array<'a, T>(first: *const T, count: usize) -> &'a [T] {
    if count == 0 || first.is_null() {
        return &[];
    }
    // SAFETY: the importer says how many there are.
    unsafe { slice::from_raw_parts(first, count) }
}

unsafe fn array_mut<'a, T>(first: *mut T, count: usize) -> &'a mut [T] {
    if count == 0 || first.is_null() {
        return &mut [];
    }
    // SAFETY: the importer says how many there are, and nobody else has them during the call.
    unsafe { slice::from_raw_parts_mut(first, count) }
}

/// Does something with an instance.
unsafe fn with(
    instance: *mut Component,
    call: impl FnOnce(&mut Component) -> Result<(), FmuError>,
) -> Status {
    // SAFETY: null, or from `fmi3InstantiateCoSimulation` and not yet freed.
    unsafe { instance.as_mut() }.map_or(Status::Error, |component| component.guard(call))
}

/// Refuses what this unit does not do.
unsafe fn refuse(instance: *mut Component, call: &str) -> Status {
    // SAFETY: as of `with`.
    unsafe { instance.as_ref() }.map_or(Status::Error, |component| {
        component.refuse(&format!("{call}: this unit does not offer it, as its description says"))
    })
}

/// Puts something where the importer wants it, if it wants it.
unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: the importer's own variable.
        unsafe { place.write(value) }
    }
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
    unsafe { with(instance, |own| own.instance.enter_initialization(start_time)) }
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

/// All variables have one value.
fn expect_one_each(references: usize, values: usize) -> Result<(), FmuError> {
    if references == values { Ok(()) } else { Err(FmuError::Count { references, values }) }
}

/// Values of one type by their references.
unsafe fn get<T>(
    instance: *mut Component,
    references: *const Reference,
    count: usize,
    values: *mut T,
    value_count: usize,
    one: impl Fn(&Instance, Reference) -> Result<T, FmuError>,
) -> Status {
    // SAFETY: arrays of the importer's; as of `with`.
    unsafe {
        let references = array(references, count);
        // what is there before may be anything
        let values = array_mut(values.cast::<MaybeUninit<T>>(), value_count);
        with(instance, |own| {
            expect_one_each(count, value_count)?;
            for (&reference, value) in references.iter().zip(values) {
                value.write(one(&own.instance, reference)?);
            }
            Ok(())
        })
    }
}

unsafe fn set<T: Copy>(
    instance: *mut Component,
    references: *const Reference,
    count: usize,
    values: *const T,
    value_count: usize,
    one: impl Fn(&mut Instance, Reference, T) -> Result<(), FmuError>,
) -> Status {
    // SAFETY: arrays of the importer's; as of `with`.
    unsafe {
        let (references, values) = (array(references, count), array(values, value_count));
        with(instance, |own| {
            expect_one_each(count, value_count)?;
            let mut pairs = references.iter().zip(values);
            pairs.try_for_each(|(&reference, &value)| one(&mut own.instance, reference, value))
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

fn no_variable<T>(reference: Reference, kind: &'static str) -> Result<T, FmuError> {
    Err(FmuError::NoVariable { reference, kind })
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
    // SAFETY: arrays of the importer's; as of `with`.
    unsafe {
        let references = array(references, count);
        let values = array_mut(values.cast::<MaybeUninit<Text>>(), value_count);
        with(instance, |own| {
            expect_one_each(count, value_count)?;
            let told = references.iter().map(|&reference| own.instance.string(reference));
            own.texts = told.map(|told| told.map(|told| text(&told))).collect::<Result<_, _>>()?;
            own.texts.iter().zip(values).for_each(|(text, value)| {
                value.write(text.as_ptr());
            });
            Ok(())
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetString(
    instance: *mut Component,
    references: *const Reference,
    count: usize,
    _values: *const Text,
    _value_count: usize,
) -> Status {
    // SAFETY: an array of the importer's; as of `with`.
    unsafe {
        let first = array(references, count).first();
        with(instance, |_| first.map_or(Ok(()), |&at| no_variable(at, "String that can be set")))
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3GetFMUState(
    instance: *mut Component,
    state: *mut *mut SavedState,
) -> Status {
    // SAFETY: as of `with`; null, or a state to be written over.
    unsafe {
        with(instance, |own| {
            if let Some(place) = state.as_mut() {
                let saved = own.instance.save();
                match place.as_mut() {
                    Some(there) => *there = saved,
                    None => *place = Box::into_raw(Box::new(saved)),
                }
            }
            Ok(())
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SetFMUState(
    instance: *mut Component,
    state: *mut SavedState,
) -> Status {
    // SAFETY: as of `with`; a state of `fmi3GetFMUState`, not yet freed.
    unsafe {
        match state.as_ref() {
            Some(saved) => with(instance, |own| own.instance.restore(saved)),
            None => refuse(instance, "fmi3SetFMUState without a state"),
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3FreeFMUState(
    instance: *mut Component,
    state: *mut *mut SavedState,
) -> Status {
    // SAFETY: as of `with`; a state of `fmi3GetFMUState`, not used after this.
    unsafe {
        with(instance, |_| {
            if let Some(place) = state.as_mut()
                && !place.is_null()
            {
                drop(Box::from_raw(std::mem::replace(place, ptr::null_mut())));
            }
            Ok(())
        })
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SerializedFMUStateSize(
    instance: *mut Component,
    state: *mut SavedState,
    size: *mut usize,
) -> Status {
    // SAFETY: as of `with`; a state of `fmi3GetFMUState`, not yet freed.
    unsafe {
        match state.as_ref() {
            Some(saved) => with(instance, |own| {
                put(size, own.instance.serialise(saved)?.len());
                Ok(())
            }),
            None => refuse(instance, "fmi3SerializedFMUStateSize without a state"),
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3SerializeFMUState(
    instance: *mut Component,
    state: *mut SavedState,
    bytes: *mut u8,
    size: usize,
) -> Status {
    // SAFETY: as of `with`; a state of `fmi3GetFMUState`, not yet freed; room of the importer's.
    unsafe {
        let room = array_mut(bytes, size);
        match state.as_ref() {
            Some(saved) => with(instance, |own| {
                let told = own.instance.serialise(saved)?;
                let place = room.get_mut(..told.len()).ok_or_else(|| FmuError::Serialised {
                    cause: format!("it has {} bytes, there is room for {size}", told.len()),
                })?;
                place.copy_from_slice(&told);
                Ok(())
            }),
            None => refuse(instance, "fmi3SerializeFMUState without a state"),
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn fmi3DeserializeFMUState(
    instance: *mut Component,
    bytes: *const u8,
    size: usize,
    state: *mut *mut SavedState,
) -> Status {
    // SAFETY: as of `with`; bytes of the importer's; null, or a state to be written over.
    unsafe {
        let bytes = array(bytes, size);
        with(instance, |own| {
            let saved = own.instance.deserialise(bytes)?;
            if let Some(place) = state.as_mut() {
                match place.as_mut() {
                    Some(there) => *there = saved,
                    None => *place = Box::into_raw(Box::new(saved)),
                }
            }
            Ok(())
        })
    }
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
