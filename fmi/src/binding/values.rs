//! Functions to get and set variables of one type, for all versions of the interface.

#![allow(unsafe_code)]

use super::pointer::{Reference, Text, array, array_mut, with_instance};
use crate::component::{Component, Status, text};
use bekker::fmu::{FmuError, FmuInstance};
use std::mem::MaybeUninit;

/// Checks that there is one value per variable.
fn expect_one_each(references: usize, values: usize) -> Result<(), FmuError> {
    if references == values { Ok(()) } else { Err(FmuError::Count { references, values }) }
}

/// Gets values of one type by their references.
pub(super) unsafe fn get<T>(
    instance: *mut Component,
    references: *const Reference,
    count: usize,
    values: *mut T,
    value_count: usize,
    one: impl Fn(&FmuInstance, Reference) -> Result<T, FmuError>,
) -> Status {
    // SAFETY: arrays of the importer; as for `with`.
    unsafe {
        let references = array(references, count);
        // the previous content may be uninitialized
        let values = array_mut(values.cast::<MaybeUninit<T>>(), value_count);
        with_instance(instance, |own| {
            expect_one_each(references.len(), values.len())?;
            for (&reference, value) in references.iter().zip(values) {
                value.write(one(&own.instance, reference)?);
            }
            Ok(())
        })
    }
}

/// Sets inputs of one type by their references.
pub(super) unsafe fn set<T: Copy>(
    instance: *mut Component,
    references: *const Reference,
    count: usize,
    values: *const T,
    value_count: usize,
    one: impl Fn(&mut FmuInstance, Reference, T) -> Result<(), FmuError>,
) -> Status {
    // SAFETY: arrays of the importer; as for `with`.
    unsafe {
        let (references, values) = (array(references, count), array(values, value_count));
        with_instance(instance, |own| {
            expect_one_each(references.len(), values.len())?;
            let mut pairs = references.iter().zip(values);
            pairs.try_for_each(|(&reference, &value)| one(&mut own.instance, reference, value))
        })
    }
}

/// Gets strings, which are valid until the next call.
pub(super) unsafe fn get_texts(
    instance: *mut Component,
    references: *const Reference,
    count: usize,
    values: *mut Text,
    value_count: usize,
) -> Status {
    // SAFETY: arrays of the importer; as for `with`.
    unsafe {
        let references = array(references, count);
        let values = array_mut(values.cast::<MaybeUninit<Text>>(), value_count);
        with_instance(instance, |own| {
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

/// Returns the error that a variable of such a type does not exist.
pub(super) fn no_variable<T>(reference: Reference, kind: &'static str) -> Result<T, FmuError> {
    Err(FmuError::NoVariable { reference, kind })
}
