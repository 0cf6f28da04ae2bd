//! Saving and restoring the state of an instance.

#![allow(unsafe_code, non_snake_case, clippy::missing_safety_doc)]

use super::pointer::{array, array_mut, put, refuse, with};
use crate::component::{Component, Status};
use bekker::fmu::{FmuError, SavedState};
use std::ptr;

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
