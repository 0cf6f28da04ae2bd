//! Conversion of pointers, arrays and strings from an importer, checked where possible.

#![allow(unsafe_code)]

use crate::component::{Component, Status};
use bekker::fmu::FmuError;
use std::ffi::{CStr, c_char};
use std::slice;

pub(super) type Text = *const c_char;
pub(super) type Reference = u32;

/// Returns a string of the importer; `None` if the pointer is null.
pub(super) unsafe fn optional_str<'a>(text: Text) -> Option<&'a CStr> {
    // SAFETY: not null, and terminated by a zero as the standard requires.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
}

/// Returns an array of the importer; an empty one may be null.
pub(super) unsafe fn array<'a, T>(first: *const T, count: usize) -> &'a [T] {
    if count == 0 || first.is_null() {
        return &[];
    }
    // SAFETY: the importer passes the length of its array.
    unsafe { slice::from_raw_parts(first, count) }
}

pub(super) unsafe fn array_mut<'a, T>(first: *mut T, count: usize) -> &'a mut [T] {
    if count == 0 || first.is_null() {
        return &mut [];
    }
    // SAFETY: the importer passes the length of its array, and does not use it during the call.
    unsafe { slice::from_raw_parts_mut(first, count) }
}

/// Calls a function with an instance.
pub(super) unsafe fn with_instance(
    instance: *mut Component,
    call: impl FnOnce(&mut Component) -> Result<(), FmuError>,
) -> Status {
    // SAFETY: null, or created by `fmi3InstantiateCoSimulation` and not yet freed.
    unsafe { instance.as_mut() }.map_or(Status::Error, |component| component.guard(call))
}

/// Returns the error of a function that this unit does not support.
pub(super) unsafe fn refuse(instance: *mut Component, call: &str) -> Status {
    // SAFETY: as for `with`.
    unsafe { instance.as_ref() }.map_or(Status::Error, |component| {
        component.refuse(&format!("{call}: this unit does not offer it, as its description says"))
    })
}

/// Writes a value to a variable of the importer, unless the pointer is null.
pub(super) unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: a variable of the importer.
        unsafe { place.write(value) }
    }
}
