//! `modelDescription.xml` of FMI 2.0.

use super::description::{ModelDescription, XmlWriter, limits, model_identifier};
use super::variable::{Causality, Variable, VariableType};
use xml::writer::Result;

impl ModelDescription<'_> {
    pub(super) fn write_fmi2(&self, xml: &mut XmlWriter<'_>) -> Result<()> {
        let head = [
            ("fmiVersion", "2.0"),
            ("modelName", self.name),
            ("guid", self.token),
            ("description", self.description),
            ("generationTool", concat!("bekker ", env!("CARGO_PKG_VERSION"))),
            ("variableNamingConvention", "structured"),
        ];
        xml.open("fmiModelDescription", &head)?;
        let identifier = model_identifier(self.name);
        let abilities = [
            ("modelIdentifier", identifier.as_str()),
            ("canHandleVariableCommunicationStepSize", "true"),
            ("canGetAndSetFMUstate", "true"),
            ("canSerializeFMUstate", "true"),
        ];
        xml.element("CoSimulation", &abilities)?;
        self.write_common(xml)?;
        xml.open("ModelVariables", &[])?;
        for (reference, variable) in self.variables.iter().enumerate() {
            write_variable(xml, reference, variable)?;
        }
        xml.close()?;
        self.write_structure_fmi2(xml)?;
        xml.close()
    }

    /// Writes the model structure, in which variables are numbered from 1.
    fn write_structure_fmi2(&self, xml: &mut XmlWriter<'_>) -> Result<()> {
        xml.open("ModelStructure", &[])?;
        for element in ["Outputs", "InitialUnknowns"] {
            xml.open(element, &[])?;
            for (index, variable) in (1..).zip(self.variables) {
                if variable.causality == Causality::Output {
                    let index = index.to_string();
                    xml.element("Unknown", &[("index", index.as_str()), ("dependencies", "")])?;
                }
            }
            xml.close()?;
        }
        xml.close()
    }
}

fn write_variable(xml: &mut XmlWriter<'_>, reference: usize, variable: &Variable) -> Result<()> {
    let continuous = matches!(variable.kind, VariableType::Float64 { .. });
    let reference = reference.to_string();
    let about = [
        ("name", variable.name.as_str()),
        ("valueReference", &reference),
        ("description", &variable.description),
        ("causality", variable.causality.name()),
        ("variability", if continuous { "continuous" } else { "discrete" }),
    ];
    xml.open("ScalarVariable", &about)?;
    let (kind, unit) = match variable.kind {
        VariableType::Float64 { unit } => ("Real", Some(unit)),
        VariableType::Int32 => ("Integer", None),
        VariableType::Boolean => ("Boolean", None),
        VariableType::String => ("String", None),
    };
    let mut attributes: Vec<(&str, String)> = Vec::new();
    attributes.extend(unit.map(|unit| ("unit", unit.to_owned())));
    attributes.extend(limits(variable));
    xml.element(kind, &attributes)?;
    xml.close()
}
