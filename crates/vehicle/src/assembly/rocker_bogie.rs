//! Wheels without springs, on the chassis or on rockers and bogies.
//!
//! A rocker turns on the chassis, a bogie on its rocker. The differential is one constraint: the
//! rates of both rockers against the chassis add up to zero. As their angles advance by these rates
//! alone, the angles add up to zero as well: the pitch of the chassis is the mean of the rockers'.

use super::steering::SteeredBy;
use super::tandem::PitchStop;
use super::{AssemblyError, Side, VehicleBuilder, vec3};
use crate::multibody::{Body, BodyId, Closure, Element, Inertia, Joint};
use crate::spec::{Point, RigidMount, Suspension, SuspensionLink};
use bekker_math::spatial::Vec3;

impl VehicleBuilder<'_> {
    /// Adds rockers, bogies and the differential, and fixes the wheels of their axles to them.
    pub(super) fn rocker_bogie(&mut self) -> Result<(), AssemblyError> {
        let Some(own) = &self.spec.rocker_bogie else { return Ok(()) };
        let mut rockers = Vec::with_capacity(2);
        for side in Side::BOTH {
            let rocker = self.link("rocker", &own.rocker, side, self.chassis)?;
            if let Some(bogie) = &own.bogie {
                self.link("bogie", bogie, side, rocker)?;
            }
            rockers.push(self.builder.coordinate(rocker));
        }
        let rates = rockers.into_iter().map(|rocker| (rocker, 1.0)).collect();
        self.builder.closure(Closure::Gear { rates, spins: Vec::new() });
        Ok(())
    }

    fn link(
        &mut self,
        name: &str,
        own: &SuspensionLink,
        side: Side,
        parent: BodyId,
    ) -> Result<BodyId, AssemblyError> {
        let at = |[x, y, z]: Point| vec3([x, side.mirror() * y, z]);
        let (pin, com) = (at(own.pin), at(own.com));
        let link = self.builder.body(Body {
            name: format!("{side:?} {name}"),
            parent,
            joint: Joint::Revolute(Vec3::y()),
            anchor: pin,
            origin: pin,
            inertia: Inertia::principal(own.link.mass, com, own.link.inertia),
        });
        for axle in &own.axles {
            let found = self.spec.axle_named(axle);
            let axle = found.ok_or_else(|| AssemblyError::NoLinkedAxle { name: axle.clone() })?;
            self.seats[axle][side as usize] = link;
        }
        let rates = vec![(self.builder.coordinate(link), 1.0)];
        let element = self.builder.element(Element::Rates { rates });
        self.pitch_stops.push(PitchStop::new(element, own.max_angle_deg));
        self.links.push(link);
        Ok(link)
    }

    /// Rejects an axle without the spring and damper that its suspension needs.
    pub(super) fn require_springs(&self, axle: usize) -> Result<(), AssemblyError> {
        let own = &self.spec.axles[axle];
        let is_rigid = matches!(own.suspension, Suspension::Rigid(_));
        if is_rigid || (own.spring.is_some() && own.damper.is_some()) {
            return Ok(());
        }
        Err(AssemblyError::NoSpring { axle: own.name.clone() })
    }

    /// Adds both wheels of an axle without springs, whose knuckles are steered by the mechanism
    /// `by`.
    pub(super) fn rigid_mount(
        &mut self,
        axle: usize,
        s: &RigidMount,
        by: SteeredBy,
    ) -> Result<(), AssemblyError> {
        let own = &self.spec.axles[axle];
        let knuckle = s.knuckle.filter(|_| own.steered);
        if own.steered && (knuckle.is_none() || !matches!(by, SteeredBy::Knuckles)) {
            let what = "has a rigid suspension, which requires a knuckle and steering.direct";
            return Err(AssemblyError::Steering { axle: own.name.clone(), what });
        }
        let mut knuckles = Vec::with_capacity(2);
        for side in Side::BOTH {
            let link = self.seats[axle][side as usize];
            let carrier = knuckle.map_or(link, |knuckle| {
                let at = |local: Point| self.point(own, side, local);
                let (com, kingpin) = (at(knuckle.com), at(knuckle.kingpin));
                let body = self.builder.body(Body {
                    name: format!("{} {side:?} knuckle", own.name),
                    parent: link,
                    joint: Joint::Revolute(Vec3::z()),
                    anchor: kingpin,
                    origin: com,
                    inertia: Inertia::principal(knuckle.part.mass, com, knuckle.part.inertia),
                });
                knuckles.push((body, kingpin, kingpin));
                body
            });
            // motors and brakes are in the hubs: their reactions act on the carrier
            self.wheel(axle, side, carrier, carrier, s.spindle);
        }
        self.turn_knuckles(axle, by, &knuckles);
        Ok(())
    }
}
