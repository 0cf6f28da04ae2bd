//! A self-contained page for a browser: text, tables, charts and pictures in one file.
//!
//! It opens without a network connection and can be printed.

mod chart;

pub use chart::{ChartAxis, ChartLayer, FilledRect, HtmlChart, ValueInterval};

use super::study::TitledTable;
use super::{ReportError, file};
use base64::Engine;
use std::fmt::Write;
use std::path::Path;

/// A page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HtmlPage {
    /// Title.
    pub title: String,
    /// The question that the page answers.
    pub question: String,
    /// The answer, in one or two sentences.
    pub answer: String,
    /// Restrictions of the answer, a paragraph each.
    pub restrictions: Vec<String>,
    /// Key numbers under the answer: value and meaning.
    pub facts: Vec<[String; 2]>,
    /// Sections, from top to bottom.
    pub sections: Vec<HtmlSection>,
    /// Text at the bottom.
    pub footer: String,
}

/// A part of a page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HtmlSection {
    /// Heading.
    pub heading: String,
    /// Paragraphs.
    pub text: Vec<String>,
    /// Charts, side by side if the width allows.
    pub charts: Vec<HtmlChart>,
    /// Pictures, side by side if the width allows.
    pub pictures: Vec<HtmlPicture>,
    /// Tables.
    pub tables: Vec<TitledTable>,
    /// Whether the tables are initially folded.
    pub folded: bool,
}

/// A picture.
#[derive(Clone, Debug, PartialEq)]
pub struct HtmlPicture {
    /// Content of a PNG file.
    pub png: Vec<u8>,
    /// Caption.
    pub caption: String,
}

/// Style sheet.
const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#1f2933;--secondary:#616e7c;--rule:#d6dbe1;--grid:#e8ebef;--paper:#fff;\
--accent:#0068b2;--answer:#f3f7fb}\
*{box-sizing:border-box}\
body{margin:0;background:var(--paper);color:var(--ink);\
font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}\
main{max-width:1180px;margin:0 auto;padding:40px 32px 64px}\
h1{font-size:32px;line-height:1.2;margin:0 0 6px}\
h2{font-size:21px;margin:44px 0 10px;padding-top:14px;border-top:1px solid var(--rule)}\
p{margin:0 0 12px;max-width:80ch}\
.question{color:var(--secondary)}\
.answer{font-size:21px;line-height:1.4;margin:22px 0;padding:16px 20px;border-left:5px solid var(--accent);\
background:var(--answer);max-width:none}\
.restriction{color:var(--secondary);margin:0 0 6px}\
.facts{display:flex;flex-wrap:wrap;gap:12px 40px;margin:20px 0 8px}\
.facts div{color:var(--secondary);font-size:14px}\
.facts b{display:block;font-size:24px;line-height:1.2;color:var(--ink)}\
.side{display:grid;grid-template-columns:repeat(auto-fit,minmax(440px,1fr));gap:22px;margin:14px 0}\
figure{margin:0}\
figure svg,figure img{display:block;width:100%;height:auto}\
figcaption{color:var(--secondary);font-size:14px;margin-top:6px}\
.wide{overflow-x:auto}\
table{border-collapse:collapse;font-size:14px;margin:10px 0 18px;font-variant-numeric:tabular-nums}\
caption{text-align:left;font-weight:600;padding:6px 0}\
th,td{padding:5px 12px;text-align:right;border-bottom:1px solid var(--grid);white-space:nowrap}\
th{border-bottom:2px solid var(--rule);font-weight:600}\
summary{cursor:pointer;color:var(--accent);margin:10px 0}\
footer{margin-top:56px;padding-top:14px;border-top:1px solid var(--rule);color:var(--secondary);font-size:13px}\
@media(max-width:560px){main{padding:22px 16px}.side{grid-template-columns:1fr}.answer{font-size:17px;padding:12px 14px}}\
@media screen and (prefers-color-scheme:dark){:root{--ink:#e4e9ee;--secondary:#a9b4c0;--rule:#3b4652;\
--grid:#2c3540;--paper:#171d24;--accent:#6db9f2;--answer:#232c36}\
figure svg{background:#f4f6f8;border-radius:6px}}\
@media print{main{padding:0}h2,figure{break-inside:avoid}.answer{background:none}}";

impl HtmlPage {
    /// Writes the page, completely or not at all.
    ///
    /// # Errors
    /// [`ReportError`] if it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), ReportError> {
        file::write(path, self.html().as_bytes())
    }

    /// Returns the page as HTML.
    pub fn html(&self) -> String {
        let title = escape_html(&self.title);
        let mut html = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
             <title>{title}</title>\n<link rel=\"icon\" href=\"data:,\">\n\
             <style>{STYLE}</style></head>\n<body><main>\n<h1>{title}</h1>\n"
        );
        html += &paragraph("question", &self.question);
        // a percent sign stays on the line of its number
        html += &paragraph("answer", &self.answer.replace(" %", "\u{a0}%"));
        self.restrictions.iter().for_each(|own| html += &paragraph("restriction", own));
        if !self.facts.is_empty() {
            let fact = |[value, what]: &[String; 2]| {
                format!("<div><b>{}</b>{}</div>", escape_html(value), escape_html(what))
            };
            let facts: String = self.facts.iter().map(fact).collect();
            html += &format!("<div class=\"facts\">{facts}</div>\n");
        }
        self.sections.iter().for_each(|section| html += &section.html());
        html + &format!("<footer>{}</footer>\n</main></body></html>\n", escape_html(&self.footer))
    }
}

impl HtmlSection {
    fn html(&self) -> String {
        let mut html = format!("<section><h2>{}</h2>\n", escape_html(&self.heading));
        self.text.iter().for_each(|text| html += &paragraph("", text));
        let charts: String =
            self.charts.iter().map(|chart| format!("<figure>{}</figure>\n", chart.svg())).collect();
        let pictures: String = self.pictures.iter().map(HtmlPicture::html).collect();
        for figures in [charts, pictures] {
            if !figures.is_empty() {
                html += &format!("<div class=\"side\">{figures}</div>\n");
            }
        }
        let tables: String = self.tables.iter().map(table).collect();
        html += &match self.folded && !tables.is_empty() {
            true => format!("<details><summary>Show tables</summary>{tables}</details>\n"),
            false => tables,
        };
        html + "</section>\n"
    }
}

impl HtmlPicture {
    fn html(&self) -> String {
        let data = base64::engine::general_purpose::STANDARD.encode(&self.png);
        let caption = escape_html(&self.caption);
        format!(
            "<figure><img alt=\"{caption}\" src=\"data:image/png;base64,{data}\">\
             <figcaption>{caption}</figcaption></figure>\n"
        )
    }
}

fn paragraph(class: &str, text: &str) -> String {
    match (text.is_empty(), class.is_empty()) {
        (true, _) => String::new(),
        (_, true) => format!("<p>{}</p>\n", escape_html(text)),
        _ => format!("<p class=\"{class}\">{}</p>\n", escape_html(text)),
    }
}

fn table(outline: &TitledTable) -> String {
    let row = |words: &[String], tag: &str| {
        words.iter().fold(String::from("<tr>"), |mut row, word| {
            let _ = write!(row, "<{tag}>{}</{tag}>", escape_html(word));
            row
        }) + "</tr>\n"
    };
    let rows: String = outline.rows.iter().map(|words| row(words, "td")).collect();
    format!(
        "<div class=\"wide\"><table><caption>{}</caption><thead>{}</thead><tbody>{rows}</tbody></table></div>\n",
        escape_html(&outline.title),
        row(&outline.head, "th")
    )
}

/// Escapes text for HTML and SVG.
pub(super) fn escape_html(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            // neither format allows control characters other than line ends
            '\n' => safe.push('\n'),
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_user_wrote_becomes_markup() {
        let evil = "<script>alert(\"&\u{7}\")</script>";
        let outline = TitledTable {
            title: evil.into(),
            head: vec![evil.into()],
            rows: vec![vec![evil.into()]],
        };
        let words = vec![evil.to_owned()];
        let chart = HtmlChart {
            title: evil.into(),
            x: ChartAxis::Words { label: evil.into(), words },
            y: ChartAxis::Number { label: evil.into(), zero: true },
            layers: vec![ChartLayer::Line {
                name: evil.into(),
                points: vec![[0.0, 1.0]],
                steps: false,
            }],
        };
        let section = HtmlSection {
            heading: evil.into(),
            text: vec![evil.into()],
            charts: vec![chart],
            pictures: vec![HtmlPicture { png: vec![1, 2], caption: evil.into() }],
            tables: vec![outline],
            folded: true,
        };
        let page = HtmlPage {
            title: evil.into(),
            question: evil.into(),
            answer: evil.into(),
            restrictions: vec![evil.into()],
            facts: vec![[evil.into(), evil.into()]],
            sections: vec![section],
            footer: evil.into(),
        };
        let html = page.html();
        assert!(!html.contains("<script") && !html.contains('\u{7}'), "{html}");
        assert!(html.matches("&lt;script&gt;").count() > 10);
        assert!(!html.contains("http"), "a page that asks the network");
    }
}
