//! What an importer hands over, as far as it can be believed: pointers, arrays, texts.

#![allow(unsafe_code)]

use crate::component::{Component, Status};
use bekker::fmu::FmuError;
use std::ffi::{CStr, c_char};
use std::slice;

pub(super) type Text = *const c_char;
pub(super) type Reference = u32;

/// A text of the importer's, if it is one.
pub(super) unsafe fn given<'a>(text: Text) -> Option<&'a CStr> {
    // SAFETY: not null, and ended by a zero as the standard has it.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) })
}

/// An array of the importer's; empty ones may be null.
pub(super) unsafe fn array<'a, T>(first: *const T, count: usize) -> &'a [T] {
    if count == 0 || first.is_null() {
        return &[];
    }
    // SAFETY: the importer says how many there are.
    unsafe { slice::from_raw_parts(first, count) }
}

pub(super) unsafe fn array_mut<'a, T>(first: *mut T, count: usize) -> &'a mut [T] {
    if count == 0 || first.is_null() {
        return &mut [];
    }
    // SAFETY: the importer says how many there are, and nobody else has them during the call.
    unsafe { slice::from_raw_parts_mut(first, count) }
}

/// Does something with an instance.
pub(super) unsafe fn with(
    instance: *mut Component,
    call: impl FnOnce(&mut Component) -> Result<(), FmuError>,
) -> Status {
    // SAFETY: null, or from `fmi3InstantiateCoSimulation` and not yet freed.
    unsafe { instance.as_mut() }.map_or(Status::Error, |component| component.guard(call))
}

/// Refuses what this unit does not do.
pub(super) unsafe fn refuse(instance: *mut Component, call: &str) -> Status {
    // SAFETY: as of `with`.
    unsafe { instance.as_ref() }.map_or(Status::Error, |component| {
        component.refuse(&format!("{call}: this unit does not offer it, as its description says"))
    })
}

/// Puts something where the importer wants it, if it wants it.
pub(super) unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: the importer's own variable.
        unsafe { place.write(value) }
    }
}
