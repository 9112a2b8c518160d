//! Entries out of XLSX as other programs write it, and archives that are traps (S94).

use std::io::{Cursor, Write as _};

use serde_json::{Value, json};
use support::steps::count;
use support::{Server, field, until};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::transfer::{CSV, XLSX, csv, import, plain, values};

/// A workbook as others write them: texts shared, dates as numbers, a formula with its result.
fn foreign() -> Vec<u8> {
    workbook("A4")
}

/// The same, with a cell of its last row at this place.
fn workbook(place: &str) -> Vec<u8> {
    book(&[("xl/worksheets/sheet1.xml", sheet_of(place))])
}

fn sheet_of(place: &str) -> Vec<u8> {
    sheet(&format!(
        "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"s\"><v>1</v></c><c r=\"C1\" t=\"s\"><v>2</v></c></row>\
         <row r=\"3\"><c r=\"A3\" t=\"s\"><v>3</v></c><c r=\"B3\"><f>6*6</f><v>36</v></c><c r=\"C3\" s=\"1\"><v>46346</v></c></row>\
         <row r=\"4\"><c r=\"{place}\"><v>123</v></c><c r=\"C4\" t=\"str\"><f>1/0</f><v>2026/1/5</v></c></row>"
    ))
}

const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";

fn sheet(rows: &str) -> Vec<u8> {
    format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{rows}</sheetData></worksheet>").into_bytes()
}

/// The parts of a workbook with one sheet, some of them replaced by these, and with others besides.
fn book(own: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let relation = |id: &str, kind: &str, target: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/>")
    };
    let relations = |all: &[String]| format!("<Relationships xmlns=\"{PACKAGE}\">{}</Relationships>", all.concat());
    let types = "<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>".to_owned();
    let mut parts: Vec<(&str, Vec<u8>)> = [
        ("[Content_Types].xml", types),
        ("_rels/.rels", relations(&[relation("r1", "officeDocument", "xl/workbook.xml")])),
        (
            "xl/workbook.xml",
            format!(
                "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\"><sheets><sheet name=\"A\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
            ),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            relations(&[
                relation("r1", "worksheet", "worksheets/sheet1.xml"),
                relation("r2", "sharedStrings", "sharedStrings.xml"),
                relation("r3", "styles", "styles.xml"),
            ]),
        ),
        (
            "xl/sharedStrings.xml",
            format!(
                "<sst xmlns=\"{MAIN}\"><si><t>Name</t></si><si><t>Age</t></si><si><t>Day</t></si>\
                 <si><r><t xml:space=\"preserve\">Ada </t></r><r><t>Lovelace</t></r></si></sst>"
            ),
        ),
        (
            "xl/styles.xml",
            format!(
                "<styleSheet xmlns=\"{MAIN}\"><numFmts><numFmt numFmtId=\"164\" formatCode=\"[h]:mm\"/></numFmts>\
                 <cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"164\"/></cellXfs></styleSheet>"
            ),
        ),
    ]
    .map(|(name, text)| (name, text.into_bytes()))
    .into();
    for (name, bytes) in own {
        parts.retain(|(known, _)| known != name);
        parts.push((name, bytes.clone()));
    }
    parts.retain(|(_, bytes)| bytes != ABSENT);
    archive(&parts)
}

/// Stands for a part that is left out.
const ABSENT: &[u8] = b"absent";

fn archive<T: AsRef<[u8]>>(parts: &[(&str, T)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in parts {
        zip.start_file(*name, SimpleFileOptions::default()).expect("a part");
        zip.write_all(bytes.as_ref()).expect("memory");
    }
    zip.finish().expect("an archive").into_inner()
}

#[test]
fn workbooks_of_others_are_read_as_they_look() {
    let (owner, form) = plain();
    let made = import(&owner, &form, "", XLSX, &foreign());
    assert_eq!(made.data(), json!({"created": 2, "rows": 2, "dry_run": false}));
    assert_eq!(
        values(&owner, &form),
        [
            json!({"field_1": "Ada Lovelace", "field_2": 36, "field_3": "2026-11-20"}),
            json!({"field_1": "123", "field_2": null, "field_3": "2026-01-05"}),
        ]
    );
    // Faults stand at the row of the sheet.
    let form = owner.form(json!([{"type": "number", "label": "Name"}]));
    assert_eq!(
        import(&owner, &form, "", "application/octet-stream", &foreign()).faults(),
        ["rows[1].field_1: must be a number"]
    );
    // Midnight looks like a day without a time there.
    for (precision, time) in [("minute", " 00:00"), ("second", " 00:00:00")] {
        let day = json!({"type": "date", "label": "Day", "precision": precision});
        let form = owner.form(json!([day]));
        let made = import(&owner, &form, "", XLSX, &foreign());
        assert_eq!(made.status, 201, "{made}");
        let expected = ["2026-11-20", "2026-01-05"].map(|day| json!({"field_1": format!("{day}{time}")}));
        assert_eq!(values(&owner, &form), expected);
    }
}

#[test]
fn errors_and_open_formulas_are_told_where_a_question_reads_them() {
    let (owner, form) = plain();
    const OPEN: &str = "has a formula that no program has computed: open the file in one, and save it there";
    const ERROR: &str = "correct it, and save the file again";
    for (cells, faults) in [
        ("A4\" t=\"e\"><v>#N/A</v></c><c r=\"B4", vec![format!("rows[2].field_1: has the error #N/A: {ERROR}")]),
        (
            "A4\" t=\"e\"><v>#GETTING_DATA</v></c><c r=\"B4\" t=\"e\"><f>1/0</f><v>#DIV/0!</v></c><c r=\"D4",
            vec![
                format!("rows[2].field_1: has the error #GETTING_DATA: {ERROR}"),
                format!("rows[2].field_2: has the error #DIV/0!: {ERROR}"),
            ],
        ),
        ("A4\"><f>1+2</f></c><c r=\"B4", vec![format!("rows[2].field_1: {OPEN}")]),
        // So some programs write formulas that they did not compute.
        ("A4\"><f>1+2</f><v></v></c><c r=\"B4", vec![format!("rows[2].field_1: {OPEN}")]),
        ("A4\"><v>1</v></c><c r=\"B4\" t=\"str\"><f>1</f></c><c r=\"D4", vec![format!("rows[2].field_2: {OPEN}")]),
    ] {
        let refused = import(&owner, &form, "", XLSX, &workbook(cells));
        assert_eq!(refused.faults(), faults);
    }
    assert_eq!(count(&owner, &form), 0);
    // Elsewhere they are ignored, as is a row of them alone; and a formula may have an empty text as its result.
    let form =
        owner.form(json!([field("short_text", json!({"label": "Name"})), field("number", json!({"label": "Age"}))]));
    let head = ["Name", "Age", "Lookup"].map(|name| format!("<c t=\"inlineStr\"><is><t>{name}</t></is></c>")).concat();
    let rows = [
        head.as_str(),
        "<c><v>1</v></c><c t=\"str\"><f>x</f><v></v></c><c t=\"e\"><v>#BLOCKED!</v></c><c><f>1+2</f></c>",
        "<c/><c/><c t=\"e\"><v>#N/A</v></c>",
        "<c><v>2</v></c><c/><c><f>1+2</f></c>",
    ];
    let rows = rows.map(|cells| format!("<row>{cells}</row>")).concat();
    let made = import(&owner, &form, "", XLSX, &book(&[("xl/worksheets/sheet1.xml", sheet(&rows))]));
    assert_eq!(made.data()["created"], 2, "{made}");
    let expected = ["1", "2"].map(|name| json!({"field_1": name, "field_2": null}));
    assert_eq!(values(&owner, &form), expected);
}

#[test]
fn other_sheets_are_told() {
    let (owner, form) = plain();
    let main = format!(
        "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\"><sheets><sheet name=\"A\" sheetId=\"1\" r:id=\"r1\"/>\
         <sheet name=\"Empty\" sheetId=\"2\" r:id=\"r2\"/><sheet name=\"More &amp; more\" sheetId=\"3\" r:id=\"r3\"/>\
         <sheet name=\"Hidden\" sheetId=\"4\" state=\"hidden\" r:id=\"r3\"/></sheets></workbook>"
    );
    let relation =
        |id: &str, target: &str| format!("<Relationship Id=\"{id}\" Type=\"{OFFICE}/worksheet\" Target=\"{target}\"/>");
    let relations = [relation("r1", "worksheets/sheet1.xml"), relation("r2", "e.xml"), relation("r3", "m.xml")];
    let head = "<row><c t=\"inlineStr\"><is><t>Name</t></is></c></row><row><c><v>1</v></c></row>";
    let file = book(&[
        ("xl/workbook.xml", main.into_bytes()),
        ("xl/_rels/workbook.xml.rels", format!("<Relationships>{}</Relationships>", relations.concat()).into_bytes()),
        ("xl/worksheets/sheet1.xml", sheet(head)),
        ("xl/e.xml", sheet("<row><c s=\"1\"/></row>")),
        ("xl/m.xml", sheet(head)),
    ]);
    let made = import(&owner, &form, "", XLSX, &file);
    assert_eq!(made.status, 201, "{made}");
    let told = json!([{"attribute": "file",
        "message": "has another sheet, \"More & more\", which is ignored: only the first one is read"}]);
    assert_eq!(made.json()["warnings"], told);
    let strict = owner.header("Prefer", "handling=strict");
    import(&strict, &form, "", XLSX, &file)
        .refuses_with(&["file: has another sheet, \"More & more\": remove it, or import it as a file of its own"]);
}

/// Parts of workbooks beside the table, and the ways in which programs write it.
#[test]
fn only_what_a_table_needs_is_read_and_found_by_its_relationships() {
    let (owner, form) = plain();
    let rows = |cells: &str| -> Vec<u8> {
        let head = "<row><c t=\"inlineStr\"><is><t>Name</t></is></c><c t=\"inlineStr\"><is><t>Age</t></is></c></row>";
        sheet(&format!("{head}<row>{cells}</row>"))
    };
    let ada = "<c t=\"inlineStr\"><is><t>Ada</t></is></c><c><v>36</v></c>";
    let around = |before: &str, after: &str| -> Vec<u8> {
        let text = String::from_utf8(rows(ada)).expect("text");
        let text = text.replacen("<sheetData>", &format!("{before}<sheetData>"), 1);
        text.replacen("</sheetData>", &format!("</sheetData>{after}"), 1).into_bytes()
    };
    let main = |sheets: &str| -> Vec<u8> {
        format!("<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\">{sheets}</workbook>").into_bytes()
    };
    let relations = |all: &str| -> Vec<u8> {
        let one = |it: &str| {
            let (id, rest) = it.split_once(' ').expect("an id");
            let (kind, target) = rest.split_once(' ').expect("a target");
            format!("<Relationship Id=\"{id}\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/>")
        };
        let all: String = all.split(';').map(one).collect();
        format!("<Relationships xmlns=\"{PACKAGE}\">{all}</Relationships>").into_bytes()
    };
    const SHEET: &str = "xl/worksheets/sheet1.xml";
    const RELATIONS: &str = "xl/_rels/workbook.xml.rels";
    let plain = (SHEET, rows(ada));
    for (what, parts) in [
        ("printer settings that begin with zeros", vec![
            plain.clone(),
            ("xl/printerSettings/printerSettings1.bin", vec![0; 495]),
            ("xl/worksheets/_rels/sheet1.xml.rels", relations("r1 printerSettings ../printerSettings/printerSettings1.bin")),
        ]),
        ("pictures that look like markup", vec![plain.clone(), ("xl/media/image1.emf", b"<\0\0".to_vec()), ("xl/media/i.ico", b"\0\0\x01".to_vec())]),
        ("other sheets that are damaged", vec![plain.clone(), ("xl/worksheets/sheet2.xml", b"<a".to_vec()), ("xl/comments1.xml", b"<x>".to_vec())]),
        ("no styles and no shared texts", vec![plain.clone(), ("xl/styles.xml", ABSENT.to_vec()), ("xl/sharedStrings.xml", ABSENT.to_vec())]),
        ("a theme that can't be read", vec![plain.clone(), ("xl/theme/theme1.xml", b"<".to_vec())]),
        ("a dimension of whole columns", vec![(SHEET, around("<dimension ref=\"A:B\"/>", ""))]),
        ("a dimension of whole rows", vec![(SHEET, around("<dimension ref=\"1:2\"/>", ""))]),
        ("an empty dimension", vec![(SHEET, around("<dimension ref=\"\"/>", ""))]),
        ("merged cells, filters and extensions", vec![(SHEET, around(
            "<sheetViews><sheetView workbookViewId=\"0\"/></sheetViews><cols><col min=\"1\" max=\"2\" width=\"9\"/></cols>",
            "<autoFilter ref=\"A1:B2\"/><mergeCells count=\"1\"><mergeCell ref=\"A3:B3\"/></mergeCells>\
             <extLst><ext><row><c r=\"A9\"><v>1</v></c></row></ext></extLst>",
        ))]),
        ("extensions in cells", vec![(SHEET, rows(&ada.replace("</v></c>", "</v><extLst><ext><v>1</v></ext></extLst></c>")))]),
        ("shared and array formulas", vec![(SHEET, rows(
            "<c t=\"str\"><f t=\"shared\" ref=\"A:A\" si=\"0\">B1</f><v>Ada</v></c><c><f t=\"array\" ref=\"B2\">36</f><v>36</v></c>",
        ))]),
        ("readings, runs and empty texts", vec![(SHEET, rows(
            "<c t=\"inlineStr\"><is><r><rPr><b/></rPr><t>A</t></r><r><t>da</t></r><rPh sb=\"0\" eb=\"1\"><t>x</t></rPh></is></c><c t=\"n\"><v>36</v></c>",
        ))]),
        ("a prefix for every name", vec![(SHEET, format!(
            "<x:worksheet xmlns:x=\"{MAIN}\"><x:sheetData><x:row><x:c t=\"inlineStr\"><x:is><x:t>Name</x:t></x:is></x:c>\
             <x:c t=\"inlineStr\"><x:is><x:t>Age</x:t></x:is></x:c></x:row><x:row><x:c t=\"inlineStr\"><x:is><x:t>Ada</x:t></x:is></x:c>\
             <x:c><x:v>36</x:v></x:c></x:row></x:sheetData></x:worksheet>"
        ).into_bytes())]),
        ("a sheet that is hidden before it", vec![
            plain.clone(),
            ("xl/worksheets/sheet9.xml", sheet("<row><c><v>1</v></c></row>")),
            ("xl/workbook.xml", main("<sheets><sheet name=\"H\" sheetId=\"9\" state=\"veryHidden\" r:id=\"r9\"/><sheet name=\"A\" sheetId=\"1\" r:id=\"r1\"/></sheets>")),
            (RELATIONS, relations("r9 worksheet worksheets/sheet9.xml;r1 worksheet worksheets/sheet1.xml")),
        ]),
        ("charts and macros before it", vec![
            plain.clone(),
            ("xl/workbook.xml", main("<sheets><sheet name=\"M\" sheetId=\"2\" r:id=\"r2\"/><sheet name=\"C\" sheetId=\"3\" r:id=\"r3\"/><sheet name=\"A\" sheetId=\"1\" r:id=\"r1\"/></sheets>")),
            (RELATIONS, relations("r2 xlMacrosheet macrosheets/sheet1.xml;r3 chartsheet chartsheets/sheet1.xml;r1 worksheet /xl/worksheets/sheet1.xml")),
        ]),
        ("parts of other names", vec![
            (SHEET, ABSENT.to_vec()),
            ("xl/Data.XML", rows("<c t=\"s\"><v>0</v></c><c><v>36</v></c>")),
            ("texts.xml", format!("<sst xmlns=\"{MAIN}\"><si><t>Ada</t></si></sst>").into_bytes()),
            (RELATIONS, relations("r1 worksheet data.xml;r2 sharedStrings ../texts.xml")),
        ]),
    ] {
        let before = count(&owner, &form);
        let made = import(&owner, &form, "", XLSX, &book(&parts));
        assert_eq!(made.status, 201, "{what}: {made}");
        let last = owner.get(form.entry(before + 1)).data();
        assert_eq!((&last["field_1"], &last["field_2"]), (&json!("Ada"), &json!(36)), "{what}");
    }
}

#[test]
fn times_are_rounded_as_a_spreadsheet_shows_them_and_must_fit() {
    let owner = Server::shared().user();
    let form = owner.form(json!([
        field("date", json!({"label": "When", "precision": "minute"})),
        field("time", json!({"label": "At"})),
        field("short_text", json!({"label": "Text"})),
        field("date", json!({"label": "Day"})),
        field("number", json!({"label": "Number"})),
    ]));
    // 14 is a day, 22 a day with its time, 20 hours and minutes, 46 any number of hours.
    let styles = format!(
        "<styleSheet xmlns=\"{MAIN}\"><dxfs><dxf><numFmt numFmtId=\"22\" formatCode=\"0\"/></dxf></dxfs>\
         <cellStyleXfs><xf numFmtId=\"14\"/></cellStyleXfs>\
         <cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/><xf numFmtId=\"22\"/><xf numFmtId=\"20\"/><xf numFmtId=\"46\"/></cellXfs></styleSheet>"
    );
    let table = |is_1904: bool, cells: [&str; 5]| {
        let names = ["When", "At", "Text", "Day", "Number"]
            .map(|name| format!("<c t=\"inlineStr\"><is><t>{name}</t></is></c>"));
        let rows = format!("<row>{}</row><row>{}</row>", names.concat(), cells.concat());
        let main = format!(
            "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\"><workbookPr date1904=\"{is_1904}\"/><sheets><sheet name=\"A\" sheetId=\"1\" r:id=\"r1\"/></sheets></workbook>"
        );
        let parts = [
            ("xl/workbook.xml", main.into_bytes()),
            ("xl/styles.xml", styles.clone().into_bytes()),
            ("xl/worksheets/sheet1.xml", sheet(&rows)),
        ];
        import(&owner, &form, "", XLSX, &book(&parts))
    };
    for (is_1904, cells, expected) in [
        (
            false,
            [
                "<c s=\"2\"><v>46000.5208333</v></c>",
                "<c s=\"3\"><v>0.5208333</v></c>",
                "<c s=\"2\"><v>46000.5208333</v></c>",
                "<c s=\"1\"><v>46000</v></c>",
                "<c><v>7.25</v></c>",
            ],
            json!(["2025-12-09 12:30", {"hour": 12, "minute": 30}, "2025-12-09 12:30:00", "2025-12-09", 7.25]),
        ),
        (
            true,
            [
                "<c s=\"2\"><v>44538.5208333</v></c>",
                "<c s=\"3\"><v>0.5208333</v></c>",
                "<c s=\"4\"><v>1.0625</v></c>",
                "<c s=\"1\"><v>44538</v></c>",
                "<c><v>7</v></c>",
            ],
            json!(["2025-12-09 12:30", {"hour": 12, "minute": 30}, "25:30:00", "2025-12-09", 7]),
        ),
        (
            false,
            [
                "<c t=\"d\"><v>2025-12-09T12:29:59.9997</v></c>",
                "<c s=\"4\"><v>0.3958333</v></c>",
                "<c t=\"b\"><v>1</v></c>",
                "<c t=\"d\"><v>2025-12-09T00:00:00</v></c>",
                "<c><v>1E+3</v></c>",
            ],
            json!(["2025-12-09 12:30", {"hour": 9, "minute": 30}, "TRUE", "2025-12-09", 1000]),
        ),
    ] {
        let before = count(&owner, &form);
        let made = table(is_1904, cells);
        assert_eq!(made.status, 201, "{made}");
        let entry = owner.get(form.entry(before + 1)).data();
        let all: Vec<&Value> = (1..=5).map(|n| &entry[format!("field_{n}")]).collect();
        assert_eq!(json!(all), expected);
    }
    let seconds = "has seconds; this question takes hours and minutes";
    let refused = table(
        false,
        [
            "<c s=\"2\"><v>46000.5210069</v></c>",
            "<c s=\"3\"><v>0.5210069</v></c>",
            "<c/>",
            "<c s=\"2\"><v>46000.5</v></c>",
            "<c/>",
        ],
    );
    assert_eq!(
        refused.faults(),
        [
            format!("rows[0].field_1: {seconds}"),
            format!("rows[0].field_2: {seconds}"),
            "rows[0].field_4: has a time; this question takes a date".to_owned(),
        ]
    );
    let typed = csv(&owner, &form, "At,When\n12:30:15,2026-01-05 09:05:30\n12:30:00,2026-01-05 09:05:00\n");
    assert_eq!(typed.faults(), [format!("rows[0].field_2: {seconds}"), format!("rows[0].field_1: {seconds}")]);
}

#[test]
fn archives_that_are_traps_are_refused_quickly() {
    let (owner, form) = plain();
    let refuse = |file: &[u8]| {
        let refused = import(&owner, &form, "", XLSX, file);
        assert_eq!(refused.status, 422, "{refused}");
        refused.faults().join("; ")
    };
    let unreadable = "file: is not a workbook that can be read";
    assert_eq!(refuse(b"PK\x03\x04 and so on"), unreadable);
    assert_eq!(refuse(&archive(&[("a.txt", "x")])), unreadable);
    let whole = foreign();
    assert_eq!(refuse(&whole[..whole.len() / 2]), unreadable);
    for place in ["ZZZZZZZ4", "A99999999999", "A4294967296", "A0", "4", "A-1"] {
        assert!(!refuse(&workbook(place)).is_empty(), "{place}");
    }
    let rows = "<row></row>".repeat(4 << 20);
    assert_eq!(refuse(&book(&[("xl/worksheets/sheet1.xml", sheet(&rows))])), "file: unpacks to more than it may");
    let many = "<a/>".repeat(9 << 18);
    for part in ["xl/workbook.xml", "_rels/.rels", "xl/_rels/workbook.xml.rels", "xl/styles.xml"] {
        assert_eq!(refuse(&book(&[(part, many.clone().into())])), "file: unpacks to more than it may", "{part}");
    }
    let names: Vec<String> = (0..1001).map(|n| format!("{n}.xml")).collect();
    let parts: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
    assert_eq!(refuse(&archive(&parts)), "file: may have at most 1000 parts");
    let laughs = "<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY lol2 \"&lol;&lol;\">]><workbook>&lol2;</workbook>";
    for part in ["xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/styles.xml"] {
        let fault = refuse(&book(&[(part, laughs.into())]));
        assert_eq!(fault, "file: declares a document type, which no workbook needs", "{part}");
    }
    assert_eq!(count(&owner, &form), 0);
}

#[test]
fn what_the_reader_of_workbooks_panics_over_is_not_logged() {
    let server = Server::with(&["--rate-limits", "off", "--log-level", "debug"]);
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({"label": "Name"}))]));
    for place in ["ZZZZZZZ4", "A99999999999", "A4294967296", "A0", "4", "A-1"] {
        let refused = import(&owner, &form, "", XLSX, &workbook(place));
        assert_eq!(refused.status, 422, "{refused}");
    }
    server.signal("TERM");
    until("its last line is there", || server.stderr().contains("stopping"));
    let said = server.stderr();
    assert!(!said.contains("panicked") && !said.contains(".cargo"), "{said}");
}

#[test]
fn files_that_are_traps_take_little_memory() {
    const MOST: usize = 16 << 20;
    let server = Server::alone("what it takes is measured");
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({})), field("number", json!({}))]));
    assert_eq!(csv(&owner, &form, "field_1\nAda").status, 201);
    // Random text keeps the archive's ratio low.
    let noise: String = (0..4 << 20).map(|_| char::from(rand::random_range(b'a'..=b'z'))).collect();
    let with =
        |cells: &str| book(&[("xl/media/noise.bin", noise.clone().into()), ("xl/worksheets/sheet1.xml", sheet(cells))]);
    let cell = |inner: &str| {
        let inner = inner.to_owned();
        format!("<row r=\"1\"><c r=\"A1\" t=\"inlineStr\"><is>{inner}</is></c></row>")
    };
    let wide = ",".repeat(MOST - 100);
    let long = "x".repeat(200 << 20);
    let runs = format!("<t>{}</t>", "x".repeat(1000)).repeat(200 << 10);
    let nested = format!("<t>{}</t>", format!("{}<c></c><sheetData></sheetData>", "x".repeat(1000)).repeat(180 << 10));
    let attribute = format!("<t a=\"{}\">x</t>", "<>".repeat(100 << 20));
    let quoted = format!("<t><![CDATA[{}]]></t>", "<c>".repeat(70 << 20));
    // A sheet is found by its relation, whatever it is called.
    let relations = format!(
        "<Relationships xmlns=\"{PACKAGE}\"><Relationship Id=\"r1\" Type=\"{OFFICE}/worksheet\" Target=\"p.png\"/></Relationships>"
    );
    let hidden = book(&[
        ("xl/media/noise.bin", noise.clone().into()),
        ("xl/_rels/workbook.xml.rels", relations.into()),
        ("xl/p.png", sheet(&cell(&format!("<t>{long}</t>")))),
    ]);
    let too_long = "file: has a text that is too long";
    let before = server.peak_memory();
    for (kind, file, fault) in [
        (CSV, wide.clone().into_bytes(), "file: may have at most 500 columns"),
        (CSV, format!("A{wide}").into_bytes(), "file: may have at most 500 columns"),
        (CSV, format!("field_1\n{wide}").into_bytes(), "file: may have at most 500 columns"),
        (CSV, format!("field_1\n\"{wide}").into_bytes(), "rows[0]: has a quotation mark that is never closed"),
        (XLSX, with(&cell(&format!("<t>{long}</t>"))), too_long),
        (XLSX, with(&cell(&runs)), too_long),
        (XLSX, with(&cell(&nested)), too_long),
        (XLSX, with(&cell(&attribute)), too_long),
        (XLSX, with(&cell(&quoted)), too_long),
        (XLSX, hidden, too_long),
    ] {
        assert!(file.len() <= MOST, "{}", file.len());
        let refused = import(&owner, &form, "", kind, &file);
        assert_eq!((refused.status, refused.faults()), (422, vec![fault.to_owned()]));
        let more = server.peak_memory() - before;
        assert!(more < 150 << 20, "{fault}: {} MB", more >> 20);
    }
}

/// A small file may not unpack to a large one: reading ends where it does.
#[test]
fn what_unpacks_to_more_than_it_may_is_refused() {
    let (owner, form) = plain();
    let bomb = book(&[("xl/worksheets/sheet1.xml", sheet(&"<row></row>\n".repeat(1_500_000)))]);
    assert!(bomb.len() < 1 << 20, "{}", bomb.len());
    assert_eq!(import(&owner, &form, "", XLSX, &bomb).faults(), ["file: unpacks to more than it may"]);
}
