//! Getting and setting variables.

#![allow(unsafe_code, non_snake_case, clippy::missing_safety_doc)]

use super::pointer::{Reference, Text, array, array_mut, with};
use crate::component::{Component, Status, text};
use bekker::fmu::{FmuError, Instance};
use std::mem::MaybeUninit;

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
            expect_one_each(references.len(), values.len())?;
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
            expect_one_each(references.len(), values.len())?;
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
            expect_one_each(references.len(), values.len())?;
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
