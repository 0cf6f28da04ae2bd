//! Functions to save and restore the state of an instance, which differ only in name between FMI
//! 2.0 and 3.0.

#![allow(unsafe_code, non_snake_case, clippy::missing_safety_doc)]

use super::pointer::{array, array_mut, put, refuse, with_instance};
use crate::component::{Component, Status};
use bekker::fmu::{FmuError, SavedState};
use std::ptr;

/// The six functions, by name.
macro_rules! states {
    ($($get:ident $set:ident $free:ident $size:ident $serialize:ident $deserialize:ident;)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $get(
            instance: *mut Component,
            state: *mut *mut SavedState,
        ) -> Status {
            // SAFETY: as for `with`; null, or a state to overwrite.
            unsafe {
                with_instance(instance, |own| {
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
        pub unsafe extern "C" fn $set(
            instance: *mut Component,
            state: *mut SavedState,
        ) -> Status {
            // SAFETY: as for `with`; a state of an instance, not yet freed.
            unsafe {
                match state.as_ref() {
                    Some(saved) => with_instance(instance, |own| own.instance.restore(saved)),
                    None => refuse(instance, concat!(stringify!($set), " without a state")),
                }
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $free(
            instance: *mut Component,
            state: *mut *mut SavedState,
        ) -> Status {
            // SAFETY: as for `with`; a state of an instance, not used after this.
            unsafe {
                with_instance(instance, |_| {
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
        pub unsafe extern "C" fn $size(
            instance: *mut Component,
            state: *mut SavedState,
            size: *mut usize,
        ) -> Status {
            // SAFETY: as for `with`; a state of an instance, not yet freed.
            unsafe {
                match state.as_ref() {
                    Some(saved) => with_instance(instance, |own| {
                        put(size, own.instance.serialize(saved)?.len());
                        Ok(())
                    }),
                    None => refuse(instance, concat!(stringify!($size), " without a state")),
                }
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $serialize(
            instance: *mut Component,
            state: *mut SavedState,
            bytes: *mut u8,
            size: usize,
        ) -> Status {
            // SAFETY: as for `with`; a state of an instance, not yet freed; a buffer of the
            // importer.
            unsafe {
                let room = array_mut(bytes, size);
                match state.as_ref() {
                    Some(saved) => with_instance(instance, |own| {
                        let told = own.instance.serialize(saved)?;
                        let place = room.get_mut(..told.len()).ok_or_else(|| FmuError::Serialized {
                            cause: format!("it has {} bytes, there is room for {size}", told.len()),
                        })?;
                        place.copy_from_slice(&told);
                        Ok(())
                    }),
                    None => refuse(instance, concat!(stringify!($serialize), " without a state")),
                }
            }
        }

        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $deserialize(
            instance: *mut Component,
            bytes: *const u8,
            size: usize,
            state: *mut *mut SavedState,
        ) -> Status {
            // SAFETY: as for `with`; bytes of the importer; null, or a state to overwrite.
            unsafe {
                let bytes = array(bytes, size);
                with_instance(instance, |own| {
                    let saved = own.instance.deserialize(bytes)?;
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
    )*};
}

states! {
    fmi3GetFMUState fmi3SetFMUState fmi3FreeFMUState
        fmi3SerializedFMUStateSize fmi3SerializeFMUState fmi3DeserializeFMUState;
    fmi2GetFMUstate fmi2SetFMUstate fmi2FreeFMUstate
        fmi2SerializedFMUstateSize fmi2SerializeFMUstate fmi2DeSerializeFMUstate;
}
