//! `modelDescription.xml`: the metadata that an importer reads before it loads the library.

use super::variable::{Causality, Range, Variable, VariableType};
use xml::writer::{EmitterConfig, EventWriter, Result, XmlEvent};

/// Units with their exponents of kg, m, s and rad, and their factor.
const UNITS: [(&str, [i32; 4], f64); 9] = [
    ("1", [0, 0, 0, 0], 1.0),
    ("m", [0, 1, 0, 0], 1.0),
    ("m/s", [0, 1, -1, 0], 1.0),
    ("m/s2", [0, 1, -2, 0], 1.0),
    ("rad/s", [0, 0, -1, 1], 1.0),
    ("N", [1, 1, -2, 0], 1.0),
    ("N.m", [1, 2, -2, 0], 1.0),
    ("kPa", [1, -1, -2, 0], 1e3),
    ("s", [0, 0, 1, 0], 1.0),
];

/// Log categories of the library.
const LOG_CATEGORIES: [(&str, &str); 2] = [
    ("logStatusError", "Reason why a call was rejected"),
    ("logStatusFatal", "Reason why an instance cannot continue"),
];

/// Version of the interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interface {
    /// FMI 2.0, which more tools support.
    Fmi2,
    /// FMI 3.0.
    #[default]
    Fmi3,
}

/// Content of `modelDescription.xml`.
#[derive(Clone, Debug)]
pub struct ModelDescription<'a> {
    /// Name of the scenario.
    pub name: &'a str,
    /// Description of the scenario.
    pub description: &'a str,
    /// Hexadecimal hash of everything that determines the simulation: the instantiation token.
    pub token: &'a str,
    /// Length of a heartbeat, s.
    pub heartbeat: f64,
    /// Duration of the scenario, s.
    pub duration: f64,
    /// Inputs and outputs.
    pub variables: &'a [Variable],
}

/// Converts the name of the scenario to an identifier of C, which names the library.
pub fn model_identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let identifier: String = name.chars().map(plain).collect();
    if identifier.starts_with(|c: char| c.is_ascii_alphabetic()) {
        identifier
    } else {
        format!("_{identifier}")
    }
}

impl ModelDescription<'_> {
    /// Writes the description as XML.
    pub fn to_xml(&self, interface: Interface) -> Vec<u8> {
        let mut text = Vec::new();
        let config = EmitterConfig::new().perform_indent(true).pad_self_closing(false);
        let xml = &mut XmlWriter(config.create_writer(&mut text));
        let written = match interface {
            Interface::Fmi2 => self.write_fmi2(xml),
            Interface::Fmi3 => self.write(xml),
        };
        written.expect("elements are opened and closed in pairs, into memory");
        text.push(b'\n');
        text
    }

    fn write(&self, xml: &mut XmlWriter<'_>) -> Result<()> {
        let tool = concat!("bekker ", env!("CARGO_PKG_VERSION"));
        let head = [
            ("fmiVersion", "3.0"),
            ("modelName", self.name),
            ("instantiationToken", self.token),
            ("description", self.description),
            ("generationTool", tool),
            ("variableNamingConvention", "structured"),
        ];
        xml.open("fmiModelDescription", &head)?;
        self.write_co_simulation(xml)?;
        self.write_common(xml)?;
        xml.open("ModelVariables", &[])?;
        for (reference, variable) in self.variables.iter().enumerate() {
            write_variable(xml, reference, variable)?;
        }
        xml.close()?;
        self.write_structure(xml)?;
        xml.close()
    }

    /// Writes the elements between capabilities and variables, which both versions share.
    pub(super) fn write_common(&self, xml: &mut XmlWriter<'_>) -> Result<()> {
        xml.open("UnitDefinitions", &[])?;
        for (name, powers, factor) in UNITS {
            xml.open("Unit", &[("name", name)])?;
            let powers = ["kg", "m", "s", "rad"].into_iter().zip(powers);
            let powers = powers.filter(|own| own.1 != 0).map(|own| (own.0, own.1.to_string()));
            let factor = (factor != 1.0).then(|| ("factor", factor.to_string()));
            let attributes: Vec<(&str, String)> = powers.chain(factor).collect();
            xml.element("BaseUnit", &attributes)?;
            xml.close()?;
        }
        xml.close()?;
        xml.open("LogCategories", &[])?;
        for (name, description) in LOG_CATEGORIES {
            xml.element("Category", &[("name", name), ("description", description)])?;
        }
        xml.close()?;
        let experiment = [
            ("startTime", "0".to_owned()),
            ("stopTime", self.duration.to_string()),
            ("stepSize", self.heartbeat.to_string()),
        ];
        xml.element("DefaultExperiment", &experiment)
    }

    fn write_co_simulation(&self, xml: &mut XmlWriter<'_>) -> Result<()> {
        let identifier = model_identifier(self.name);
        let step = self.heartbeat.to_string();
        let abilities = [
            ("modelIdentifier", identifier.as_str()),
            ("canGetAndSetFMUState", "true"),
            ("canSerializeFMUState", "true"),
            ("canHandleVariableCommunicationStepSize", "true"),
            ("fixedInternalStepSize", &step),
        ];
        xml.element("CoSimulation", &abilities)
    }

    /// Writes the model structure.
    ///
    /// Outputs have no dependencies: they are values at the end of a step, so an input affects them
    /// only in the next step.
    fn write_structure(&self, xml: &mut XmlWriter<'_>) -> Result<()> {
        xml.open("ModelStructure", &[])?;
        for element in ["Output", "InitialUnknown"] {
            for (reference, variable) in self.variables.iter().enumerate() {
                if variable.causality == Causality::Output {
                    let reference = reference.to_string();
                    let unknown = [("valueReference", reference.as_str()), ("dependencies", "")];
                    xml.element(element, &unknown)?;
                }
            }
        }
        xml.close()
    }
}

fn write_variable(xml: &mut XmlWriter<'_>, reference: usize, variable: &Variable) -> Result<()> {
    let mut attributes = vec![
        ("name", variable.name.clone()),
        ("valueReference", reference.to_string()),
        ("description", variable.description.clone()),
    ];
    attributes.push(("causality", variable.causality.name().into()));
    if let VariableType::Float64 { unit } = variable.kind {
        attributes.push(("unit", unit.into()));
    }
    attributes.extend(limits(variable));
    xml.element(variable.kind.name(), &attributes)
}

/// Attributes for range and start value of an input.
pub(super) fn limits(variable: &Variable) -> Vec<(&'static str, String)> {
    let Some(Range { min, max, start }) = variable.range else { return Vec::new() };
    let max = max.map(|max| ("max", max.to_string()));
    let ends = [Some(("min", min.to_string())), max, Some(("start", start.to_string()))];
    ends.into_iter().flatten().collect()
}

/// XML writer for elements with attributes.
pub(super) struct XmlWriter<'a>(EventWriter<&'a mut Vec<u8>>);

impl XmlWriter<'_> {
    pub fn open(&mut self, name: &str, attributes: &[(&str, &str)]) -> Result<()> {
        let event = XmlEvent::start_element(name);
        self.0.write(attributes.iter().fold(event, |event, (key, value)| event.attr(*key, value)))
    }

    pub fn close(&mut self) -> Result<()> {
        self.0.write(XmlEvent::end_element())
    }

    pub fn element<V: AsRef<str>>(&mut self, name: &str, attributes: &[(&str, V)]) -> Result<()> {
        let attributes: Vec<_> = attributes.iter().map(|own| (own.0, own.1.as_ref())).collect();
        self.open(name, &attributes)?;
        self.close()
    }
}
