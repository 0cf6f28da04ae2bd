//! Files of the page and the libraries that it uses.
//!
//! The libraries are unchanged from the npm registry; `page/vendor/README.md` lists versions,
//! licenses and hashes.

use std::fmt::Write;

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub struct PageAsset {
    /// Path relative to the address of the page.
    pub name: &'static str,
    /// Module name under which scripts import it, if it is a script.
    module: Option<&'static str>,
    /// MIME type.
    pub content_type: &'static str,
    /// Content.
    pub text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const PAGE: &str = "text/html; charset=utf-8";

macro_rules! script {
    ($name:literal, $module:literal) => {
        PageAsset {
            name: $name,
            module: Some($module),
            content_type: SCRIPT,
            text: include_str!(concat!("../page/", $name)),
        }
    };
}

macro_rules! file {
    ($name:literal, $content_type:expr) => {
        PageAsset {
            name: $name,
            module: None,
            content_type: $content_type,
            text: include_str!(concat!("../page/", $name)),
        }
    };
}

const ASSETS: [PageAsset; 29] = [
    file!("index.html", PAGE),
    file!("view.css", STYLE),
    file!("vendor/uplot.css", STYLE),
    script!("vendor/three.core.js", "three-core"),
    script!("vendor/three.module.js", "three"),
    script!("vendor/uplot.js", "uplot"),
    script!("palette.js", "view/palette"),
    script!("messages.js", "view/messages"),
    script!("source.js", "view/source"),
    script!("light.js", "view/light"),
    script!("rut_mask.js", "view/rut_mask"),
    script!("terrain.js", "view/terrain"),
    script!("ruts.js", "view/ruts"),
    script!("paths.js", "view/paths"),
    script!("labels.js", "view/labels"),
    script!("vehicles.js", "view/vehicles"),
    script!("dust.js", "view/dust"),
    script!("forces.js", "view/forces"),
    script!("ghost.js", "view/ghost"),
    script!("lidar.js", "view/lidar"),
    script!("camera.js", "view/camera"),
    script!("plots.js", "view/plots"),
    script!("panel.js", "view/panel"),
    script!("bookmark.js", "view/bookmark"),
    script!("keys.js", "view/keys"),
    script!("drive.js", "view/drive"),
    script!("traffic.js", "view/traffic"),
    script!("film.js", "view/film"),
    script!("main.js", "view/main"),
];

/// Returns the file with a name; the empty name is the page itself.
pub fn asset(name: &str) -> Option<&'static PageAsset> {
    let name = if name.is_empty() { "index.html" } else { name };
    ASSETS.iter().find(|asset| asset.name == name)
}

/// Placeholders in `index.html` for styles, and for scripts and recording.
const STYLES: &str = "<!-- styles -->";
const PARTS: &str = "<!-- parts -->";

/// Returns the page with all its files and a recording, as one file.
///
/// `recording` is base64.
pub(super) fn with_recording(title: &str, recording: &str) -> String {
    let page = asset("").map_or("", |asset| asset.text);
    let mut styles = String::new();
    let mut parts = String::new();
    for asset in &ASSETS {
        // a script element would end at an end tag inside its text
        let text = asset.text.replace("</script", "<\\/script");
        match asset.module {
            // libraries import their parts by path, but here parts only have module names
            Some(module) => {
                let text = text.replace("'./three.core.js'", "'three-core'");
                let _ = writeln!(
                    parts,
                    "<script type=\"text/plain\" data-module=\"{module}\">{text}</script>"
                );
            }
            None if asset.content_type == STYLE => {
                let _ = writeln!(styles, "<style>{text}</style>");
            }
            None => {}
        }
    }
    let _ = writeln!(parts, "<script type=\"text/plain\" id=\"recording\">{recording}</script>");
    let escaped = title.replace('&', "&amp;").replace('<', "&lt;");
    page.replace("<title>bekker</title>", &format!("<title>{escaped} - bekker</title>"))
        .replace(STYLES, &styles)
        .replace(PARTS, &parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_every_part_and_names_no_other() {
        let page = with_recording("a <b>", "AAAA");
        assert!(page.contains("<title>a &lt;b> - bekker</title>"));
        for asset in ASSETS.iter().filter_map(|asset| asset.module) {
            assert!(page.contains(&format!("data-module=\"{asset}\"")), "{asset}");
        }
        assert!(!page.contains("from './"), "a part is still imported by its path");
        assert!(page.contains("id=\"recording\">AAAA</script>"));
    }

    /// The page has 2.4 MB; 2.1 MB of it are three.js.
    #[test]
    fn the_page_has_the_documented_weight() {
        let bytes: usize = ASSETS.iter().map(|asset| asset.text.len()).sum();
        assert_eq!((bytes as f64 * 1e-5).round(), 24.0, "{bytes} bytes; docs/howto/watch.md");
    }

    #[test]
    fn scripts_import_existing_modules() {
        let modules: Vec<&str> = ASSETS.iter().filter_map(|asset| asset.module).collect();
        for asset in ASSETS.iter().filter(|a| a.module.is_some() && !a.name.contains("vendor")) {
            for line in asset.text.lines().filter(|line| line.starts_with("import ")) {
                let from = line.rsplit('\'').nth(1).unwrap_or_default();
                assert!(modules.contains(&from), "{}: {line}", asset.name);
            }
        }
    }
}
