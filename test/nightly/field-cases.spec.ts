import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { CommandLine } from '../support/command-line.js';
import { ODataFeed } from '../support/odata.js';
import { ROOT } from '../support/service.js';
import { type SharedService, shareService } from '../support/shared-services.js';

/**
 * Files that public bug reports of comparable programs describe, and the outcome of each: its rows, or a rejection with
 * the position and the reason. `test/fixtures/field-cases` has the files with a number; the others are in the table
 * with their reports.
 */
interface FieldCase {
  file: string;
  /** The text of a file that is not in the folder. */
  text?: string | Buffer;
  flags?: string[];
  /** The rows of the table before the import; its first column is the key. */
  stored?: Record<string, string | number>[];
  /** The name of a column of the stored rows, if it differs from its key. */
  names?: Record<string, string>;
  /** The rows of the table after the import: all of them, or the first and the last. */
  rows?: Record<string, unknown>[];
  count?: number;
  /** A rejection: its exit code is 1 (the file) or 2 (rows), and the table is unchanged. */
  code?: 1 | 2;
  message?: RegExp;
}

const FOLDER = join(ROOT, 'test/fixtures/field-cases/tables');
const pump = { equipment: 'P-1', name: 'Pump' };
const fan = { equipment: 'P-2', name: 'Fan' };
const MAPPED = ['--mapping', join(FOLDER, '05f-mapping.yaml')];
const WEIGHT = [{ equipment: 'P-0', weight: 1 }];
const LIST = {
  equipment: '10004711',
  functional_location: 'AT10-UTL-CW',
  description_of_technical_object: 'Feed pump',
};

const CASES: FieldCase[] = [
  { file: '01-unquoted-delimiter.csv', code: 2, message: /line 3: The header has 4 cells; this row has 5 cells/ },
  {
    file: '02-truncated-last-line.csv',
    stored: [{ equnr: 'A2', name: 'Boiler', weight: 7, plant: 'AT20' }],
    code: 2,
    message: /line 3: The header has 4 cells; this row has 2 cells/,
  },
  { file: '03-duplicate-header.csv', code: 1, message: /Line 1: the header has the name "Description" twice/ },
  {
    file: '04-two-separators.csv',
    stored: [{ equnr: 'A1', weight: 1 }],
    code: 2,
    message: /line 3, key A2, column weight: "1.234.567"[^]*line 4, key A3[^]*line 5, key A4/,
  },
  { file: '05a-us-thousands.csv', code: 1, message: /"1,234" \(line 2, column "Acquisition value"\).*--decimal/ },
  {
    file: '05a-us-thousands.csv',
    flags: ['--decimal', '.', '--thousands', ','],
    count: 3,
    rows: [{ equipment: 'P-1', acquisition_value: 1234 }],
  },
  { file: '05c-list-flips-decimal.csv', count: 3, rows: [{ equipment: 'P-1', shifts: '1,2', weight: 1.234 }] },
  { file: '05d-list-flips-decimal.csv', count: 3, rows: [{ equipment: 'P-1', shifts: '1,2', weight: 1.234 }] },
  {
    file: '05d-list-flips-decimal.csv',
    stored: [{ equipment: 'P-1', shifts: 'x', weight: 1 }],
    count: 3,
    rows: [{ equipment: 'P-1', shifts: '1,2', weight: 1.234 }],
  },
  { file: '05e-german-dots.csv', code: 1, message: /"1.234" \(line 2, column "Gewicht"\).*--decimal/ },
  { file: '05f-mapped-comma.csv', flags: MAPPED, code: 2, message: /line 3, key P-2[^]*line 4, key P-3/ },
  {
    file: '05h-us-amounts-german-mapping.csv',
    flags: MAPPED,
    code: 2,
    message: /line 2, key P-1, column weight: "12,345,678.90"/,
  },
  {
    file: '06-us-dates.csv',
    code: 1,
    message: /"03\/04\/2024" \(line 2.*--date-format DD\/MM\/YYYY or --date-format MM\/DD\/YYYY/,
  },
  { file: '06b-us-dates-unambiguous.csv', count: 3, rows: [{ equipment: 'P-1', installed: '2024-03-04' }] },
  { file: '07-leading-zero-after-1000.csv', count: 1_002, rows: [{ equipment: 'P-1001', cost_center: '0047' }] },
  {
    file: '08-late-umlaut.csv.gz',
    count: 9_001,
    rows: [{ equipment: 'P-999999', name: 'Gehäuse für Kühler', weight: 12.5 }],
  },
  { file: '09-mixed-encoding.csv', code: 1, message: /Line 3 is not valid UTF-8, but line 2 is/ },
  // The text after the closing quote of line 5 has two readings. The inch marks of all other lines are text.
  { file: '10a-inch-marks.csv', code: 1, message: /Line 5 begins a record in which text follows the closing quote/ },
  { file: '10b-quote-swallows-rows.csv', code: 1, message: /Line 3 begins a record in which text follows/ },
  { file: '10c-unclosed-quote.csv', code: 1, message: /Line 3 begins a record with a quote that is not closed/ },
  {
    file: '10d-quote-closes-later.csv',
    count: 3,
    rows: [{ equipment: 'A2', name: 'Valve,AT10\nA3,Motor,AT10\nA4,Fan' }],
  },
  { file: '10e-dutch-apostrophes.csv', count: 3, rows: [{ equipment: 'A1', name: "'s-Hertogenbosch pump" }] },
  { file: '10f-crlf-in-quotes.csv', count: 2, rows: [{ equipment: 'A1', name: 'Pump\r\nline 2' }] },
  { file: '10g-cr-only.csv', count: 2, rows: [{ equipment: 'A1', name: 'Pump', plant: 'AT10' }] },
  {
    file: '11a-export.csv',
    stored: [{ key: '=A1.B2', name: 'Old', phone: 'x' }],
    count: 3,
    rows: [
      { key: '=A1.B2', name: 'Pump', phone: '+43 1 555' },
      { key: '-K1', name: 'Motor', phone: null },
    ],
  },
  { file: '12-long-numbers.xlsx', code: 2, message: /line 2, key 10004711, column serial: .*B2.*beyond 2\^53/ },
  { file: '13-dates.xlsx', code: 2, message: /line 3, key P-2, column installed: .*B3.*1900-03-01/ },
  {
    file: '13-dates.xlsx',
    flags: ['--on-error', 'continue'],
    code: 2,
    count: 2,
    rows: [
      {
        equipment: 'P-1',
        installed: '2024-01-31',
        inspected_at: '2024-03-31T02:30:00.000Z',
        shift_start: '08:30',
        duration: '36:00',
      },
      { equipment: 'P-3', shift_start: '12:00', duration: '2' },
    ],
  },
  { file: '14-dates-1904.xlsx', count: 1, rows: [{ equipment: 'P-1', installed: '2024-01-31' }] },
  {
    file: '15-errors-formulas.xlsx',
    stored: [{ equipment: 'P-1', name: 'Pump', weight: 5 }],
    flags: ['--create'],
    code: 2,
    message: /column name: \{"B2":"#N\/A"\}[^]*#DIV\/0![^]*line 5, key P-4, column name: .*without a stored value/,
  },
  {
    file: '16-title-and-merged.xlsx',
    code: 1,
    message: /cell B3 has a value, but its column has no name in row 1.*--header-row/,
  },
  { file: '17-hidden-first-sheet.xlsx', count: 1, rows: [pump] },
  {
    file: '17-hidden-first-sheet.xlsx',
    flags: ['--sheet', 'Missing'],
    code: 1,
    message: /no sheet "Missing".*_settings, Equipment/,
  },
  {
    file: '18-rich-and-links.xlsx',
    count: 2,
    rows: [{ equipment: 'P-1', name: 'Feed pump', link: 'drawing', note: 'line1\r\nline2' }],
  },
  { file: '19-duplicate-and-empty-header.xlsx', code: 1, message: /the cell E2 has a value.*no name in row 1/ },
  {
    file: '20-text-formatted-zeros.xlsx',
    count: 2,
    rows: [{ equnr: '000000000010004711', kostl: '0000004711', zip: '01010' }],
  },
  { file: '21-proto-header.xlsx', code: 1, message: /"constructor" is reserved/ },
  {
    file: '22-alv-list.txt',
    count: 2,
    rows: [
      { ...LIST, gross_wgt: 1234.5, start_up: '2024-01-31', cost_ctr: '0000004711' },
      { equipment: '10004712', gross_wgt: -100, start_up: null, cost_ctr: null },
    ],
  },
  {
    file: '22b-alv-list-clean.txt',
    flags: ['--mapping', join(FOLDER, '22b-mapping.yaml')],
    count: 2,
    rows: [
      { equnr: '10004711', weight: 1234.5 },
      { equnr: '10004712', weight: -100, since: null },
    ],
  },
  {
    file: '23-sap-spreadsheet.xls',
    count: 2,
    rows: [
      { equipment: '10004711', gross_wgt: 1234.5 },
      { equipment: '10004712', gross_wgt: -100 },
    ],
  },
  { file: '24-plain.csv', count: 2, rows: [pump, fan] },
  { file: '24-zip-by-mistake.zip', code: 1, message: /is a ZIP archive. Unpack it/ },
  { file: '25-gzip-members.csv.gz', count: 3, rows: [pump] },
  { file: '25b-gzip-garbage.csv.gz', code: 1, message: /truncated or corrupt/ },
  { file: '25c-gzip-truncated.csv.gz', code: 1, message: /truncated or corrupt/ },
  { file: '26-biff8.xls', code: 1, message: /is an old Excel file.*Save it as .xlsx or CSV/ },
  { file: '26-fods.fods', code: 1, message: /is an OpenDocument file/ },
  { file: '26-html.html.xls', code: 1, message: /is HTML/ },
  { file: '26-ods.ods', code: 1, message: /is an OpenDocument file. Save it as .xlsx or CSV/ },
  { file: '26-xlml.xml.xls', code: 1, message: /is an XML file of Excel 2003/ },
  { file: '26-xlsb.xlsb', code: 1, message: /is a binary workbook/ },
  { file: '26b-html-lines.xls', code: 1, message: /is HTML/ },
  { file: '27-empty.csv', code: 1, message: /Line 1 must be the header.*no more lines/ },
  { file: '27b-header-only.csv', count: 0 },
  { file: '27c-blank-lines.csv', code: 1, message: /Line 1 must be the header/ },
  { file: '27d-bom-no-newline.csv', count: 1, rows: [pump] },
  { file: '27e-two-boms.csv', count: 1, rows: [pump] },
  { file: '27f-bom-quoted.csv', count: 1, rows: [pump] },
  { file: '27g-sep-line.csv', count: 1, rows: [pump] },
  { file: '27h-trailing-empty-columns.csv', count: 2, rows: [pump, fan] },
  { file: '27i-trailing-empty-rows.csv', count: 1, rows: [pump] },
  {
    file: '27j-comment-line.csv',
    code: 1,
    message: /The header has one cell, but all rows have 2 cells.*--header-row/,
  },
  { file: '27j-comment-line.csv', flags: ['--header-row', '2'], count: 1, rows: [pump] },
  { file: '27k-trailing-comma.csv', count: 2, rows: [pump, fan] },
  { file: '28-line-separator.ndjson', count: 2, rows: [{ equipment: 'P-1', name: 'first\u2028second' }, fan] },
  {
    file: '28b-line-separator-fixed.txt',
    flags: ['--layout', join(FOLDER, '28b-layout.json')],
    count: 2,
    rows: [{ equipment: 'P-1', name: 'first\u2028second', plant: 'AT10' }],
  },
  { file: '33-japanese-headers.csv', count: 2, rows: [{ column_1: 'P-1', column_2: 'ポンプ', column_3: 10 }] },
  { file: '33b-cyrillic-headers.csv', count: 1, rows: [{ column_1: 'P-1', column_2: 'Насос' }] },
  { file: '33c-same-key-headers.csv', code: 1, message: /"weight_kg": "Weight \(kg\)" and "Weight \[kg\]"/ },
  { file: '39-nfd-duplicates.csv', code: 1, message: /lines 2 and 4 have the same key "Kü1"/ },
  {
    file: '39-nfd-duplicates.csv',
    flags: ['--key', 'Equipment'],
    code: 2,
    message: /line 2, key Kü1[^]*line 4, key Kü1/,
  },
  {
    file: '39-nfd-duplicates.csv',
    flags: ['--key', 'Equipment', '--results', 'nfd'],
    code: 2,
    message: /line 2, key Kü1[^]*line 4, key Kü1/,
  },
  { file: '40-single-column-commas.csv', count: 3, rows: [{ work_center: 'Mechanics, hall 1' }] },
  { file: '41-one-broken-byte.csv', code: 1, message: /Line 7 is not valid UTF-8/ },
  { file: '43-late-key.ndjson', count: 1_001, rows: [{ equipment: 'P-1000', weight: 75 }] },
  { file: '44-array.json', code: 1, message: /is a JSON array. Write one JSON object per line/ },
  { file: '48-sci-notation.csv', count: 2, rows: [{ equipment: 'P-1', serial: '1,23457E+17' }] },
  { file: '48b-sci-notation.csv', count: 2, rows: [{ equipment: 'P-1', serial: '1.23457E+17' }] },
  { file: '57-nbsp-thousands.csv', stored: WEIGHT, code: 2, message: /line 2, key P-1, column weight/ },
  { file: '58-utf16.txt', count: 2, rows: [{ equipment: 'P-1', name: 'Kühler' }, fan] },
  {
    file: '59-multiline-line-number.csv',
    stored: [{ equipment: 'P-0', name: 'x', weight: 1 }],
    code: 2,
    message: /line 2, key P-1, column weight: "heavy"/,
  },
];

/** Columns of new tables: a type only if its values are printed as they were written. */
const INFERRED: FieldCase[] = [
  { file: '63-plus-sign.csv', count: 2, rows: [{ key: '1', phone: '+34123456789' }] },
  { file: '74-local-datetimes.csv', count: 2, rows: [{ key: 'A1', since: '2024-01-31T08:00:00' }] },
  { file: '74b-sql-datetimes.csv', count: 2, rows: [{ key: 'A2', since: '2024-02-01 09:30:00.000' }] },
  {
    file: '74b-sql-datetimes.csv',
    flags: ['--date-format', 'YYYY-MM-DD HH:mm:ss', '--timezone', 'Europe/Vienna'],
    count: 2,
    rows: [{ key: 'A2', since: '2024-02-01T08:30:00.000Z' }],
  },
  {
    file: '74b-sql-datetimes.csv',
    flags: ['--mapping', mapping('{ from: key }, { from: since, type: date }')],
    code: 2,
    message:
      /line 2, key A1, column since: "2024-01-31 08:00:00" has no offset. Set the date format YYYY-MM-DD HH:mm:ss and a timezone/,
  },
  {
    file: '75-thousands-space.csv',
    flags: ['--decimal', ',', '--thousands', ' '],
    count: 2,
    rows: [{ key: '1', w: 1234.5 }],
  },
  { file: '75b-thousands-apostrophe.csv', flags: ['--thousands', "'"], count: 2, rows: [{ key: '2', w: 12_345 }] },
  {
    file: '75c-thousands-nbsp.csv',
    flags: ['--decimal', ',', '--thousands', ' '],
    stored: [{ key: '0', w: 1 }],
    count: 4,
    rows: [
      { key: '1', w: 1234.5 },
      { key: '2', w: 12_345 },
      { key: '3', w: 7 },
    ],
  },
  { file: '83-key-question.csv', flags: ['--key', 'Order'], count: 3, rows: [{ order: '20240101', text: 'first' }] },
  { file: '83-key-question.csv', count: 3, rows: [{ order: '20240101' }] },
  {
    file: '86-create-duplicates.csv',
    code: 1,
    message: /lines 2 and 3 have the same key "A".*--on-duplicate first or last/,
  },
  {
    file: '86-create-duplicates.csv',
    flags: ['--on-duplicate', 'last'],
    count: 3,
    rows: [{ key: 'A', name: 'new', w: '2' }],
  },
  {
    file: "MySQL's empty dates",
    text: 'id,since\nA,2024-01-31\nB,0000-00-00\n',
    count: 2,
    rows: [
      { id: 'A', since: '2024-01-31' },
      { id: 'B', since: null },
    ],
  },
];

/** Workbooks that are damaged or unusual: read exactly, or rejected. */
const WORKBOOKS: FieldCase[] = [
  {
    file: '67-shared-string-index.xlsx',
    stored: [{ key: '4713', name: 'Stored' }],
    code: 1,
    message: /its cell in row 4, column 2 refers to a text that does not exist/,
  },
  { file: '67b-shared-strings-case.xlsx', count: 3, rows: [{ key: '4713', name: 'Boiler' }] },
  {
    file: '68-cut-sheet.xlsx',
    stored: [{ key: '4713', name: 'Stored' }],
    code: 1,
    message: /sheet1.xml is not well-formed XML, or was cut/,
  },
  {
    file: '69-merged.xlsx',
    stored: [{ key: 'P-2', plant: '9', w: 1 }],
    count: 5,
    rows: [
      { key: 'P-2', plant: '1000', w: 3 },
      { key: 'P-3', plant: '1000', w: 4 },
      { key: 'P-5', plant: '1000', w: 6 },
    ],
  },
  {
    file: '70-zero-formats.xlsx',
    count: 9,
    rows: ['P-047', '12345-6789', '0000004711', '1.10', '004712', '004713', '004714', '0000 4715', '000012'].map(
      (shown) => ({ equipment: shown, shown, text: shown }),
    ),
  },
  { file: '71-chart-sheet.xlsx', count: 1, rows: [{ key: 'P-1', w: 5.5 }] },
  { file: '71-chart-sheet.xlsx', flags: ['--sheet', 'Chart1'], code: 1, message: /no sheet "Chart1" with cells/ },
  { file: '72-far-cell.xlsx', count: 1 },
  { file: '72b-far-cell-slow.xlsx', count: 1, rows: [{ key: 'P-1', w: 5.5 }] },
];

/** Workbooks of public test corpora, in the folder next to that of the cases. */
const CORPORA: FieldCase[] = (
  [
    { file: 'dates-and-numbers', count: 10, rows: [{ date: '2017-10-10', number: 1 }] },
    {
      file: 'exchange-rates',
      count: 2,
      rows: [{ to_currency: 'ADP', from_currency: 'USD', prior_fx_rate_ave: 155.5147 }],
    },
    { file: 'formulas', count: 4, rows: [{ export: 'a1', value: 23, comment: 'he,llo' }] },
    { file: 'interview', code: 1, message: /first column "type" cannot be the primary key: line 2 has no value/ },
    { file: 'interview', flags: ['--key', 'name'], code: 2 },
    { file: 'no-formats', count: 1, rows: [{ comune: 'lambrate', cap: 20_131, data_di_nascita: null }] },
    { file: 'one-cell', count: 0 },
    { file: 'predefined-formats', flags: ['--key', 'cellulare', '--dry-run'], count: 0 },
    { file: 'rich-header', flags: ['--key', 'B cell'], count: 0 },
    { file: 'scattered-cells', code: 1, message: /the cell C12 has a value, but its column has no name/ },
    { file: 'texts-and-dates', code: 1, message: /"11\/04\/2014" \(line 2, column "b"\).*--date-format/ },
    {
      file: 'texts-and-dates',
      flags: ['--key', 'a', '--date-format', 'DD/MM/YYYY'],
      count: 1,
      rows: [{ a: '1981-01-09', b: '2014-04-11' }],
    },
    { file: 'two-sheets', count: 1, rows: [{ string: 'string', data_di_nascita: '1986-09-27', cap: 20_064 }] },
    { file: 'uppercase-sheet', count: 23, rows: [{ category_id: '9900', name_de: 'Diverse Artikelgruppen' }] },
  ] satisfies FieldCase[]
).map((each) => ({ ...each, file: `../workbooks/${each.file}.xlsx` }));

/** JSON that is not one object per line. */
const JSON_DOCUMENTS: FieldCase[] = [
  {
    file: 'Pretty-printed JSON',
    text: '{\n  "value": [\n    { "id": "A" }\n  ]\n}\n',
    flags: ['--format', 'ndjson'],
    code: 1,
    message: /one JSON document of several lines. Write one JSON object per line.*jq -c/,
  },
  {
    file: 'An answer of OData',
    text: '{"@odata.context":"x/$metadata#T","value":[{"id":"A"}]}\n',
    flags: ['--format', 'ndjson'],
    code: 1,
    message: /Line 1 is an answer of OData, whose rows are in "value"/,
  },
];

/** Blanks before quotes. */
const BLANK_QUOTES: FieldCase[] = [
  { file: '73-space-quote.csv', count: 2, rows: [{ equnr: '1001', name: 'Feed pump', weight: 180.5 }] },
  {
    file: '73-space-quote.csv',
    stored: [{ equnr: '1001', name: 'x', weight: 1 }],
    count: 2,
    rows: [{ equnr: '1002', name: 'Boiler', weight: 5200 }],
  },
  {
    file: 'A blank after a quote, too',
    text: 'Equipment,Name\nP-1, "Ford" \n',
    code: 1,
    message: /Line 2 begins a record in which text/,
  },
  { file: 'Inch marks after a blank', text: 'Equipment,Name\nP-1, 5" pipe\n', count: 1, rows: [{ name: ' 5" pipe' }] },
];

/** Totals of lists of SAP, and rows whose key is a star. */
const STARS: FieldCase[] = [
  {
    file: '66-star-rows.txt',
    count: 4,
    rows: [
      { plant: '*', text: 'all' },
      { plant: '**', text: 'x' },
    ],
  },
  {
    file: 'Totals and subtotals with a unit, on two pages',
    text: [
      '|Plant|Qty     |Unit|',
      '---------------------',
      '|1000 |1.000,50|KG  |',
      '|2000 |  100,0-|KG  |',
      '---------------------',
      '|*    |   900,5|KG  |',
      '---------------------',
      '02.02.2024    Page 2',
      '---------------------',
      '|Plant|Qty     |Unit|',
      '---------------------',
      '|*    |     5,0|KG  |',
      '---------------------',
      '|*    |     5,0|KG  |',
      '|**   |   905,5|    |',
      '---------------------',
    ].join('\n'),
    flags: ['--format', 'sap-list'],
    count: 3,
    rows: [{ plant: '*', qty: 5 }],
    message: /Not read as rows: 3 totals, the first in line 6; 1 line outside of rows in line 8\./,
  },
  {
    file: 'A mask below a line of dashes',
    text: '|Plant|Text|\n------------\n|1000 |Wien|\n------------\n|*    |all |\n------------\n',
    flags: ['--format', 'sap-list'],
    count: 2,
    rows: [{ plant: '*', text: 'all' }],
  },
  {
    file: 'A spreadsheet with masks and totals',
    text: 'Title\n\tPlant\tText\tQty\n\t*\tall\t1\n\t1000\tWien\t2\n*\t\t\t3\n**\t\t\t3\n',
    flags: ['--format', 'sap-list'],
    count: 2,
    rows: [{ plant: '*', text: 'all', qty: 1 }],
    message: /Not read as rows: 2 totals, the first in line 5\./,
  },
];

const CONTINUE = ['--on-error', 'continue'];
const FEED_PUMP = { equnr: '1001', name: 'Feed pump' };

/** Several files in a row, and a header in the middle. */
const REPEATED_HEADER: FieldCase[] = [
  { file: '65-repeated-header.csv', code: 2, message: /line 3: The row is equal to the header, as between two files/ },
  { file: '65-repeated-header.csv', flags: CONTINUE, code: 2, count: 2, rows: [FEED_PUMP] },
  {
    file: 'Two members of gzip with byte order marks',
    text: Buffer.concat(
      ['\ufeffEQUNR;Name\n1001;Feed pump\n', '\ufeffEQUNR;Name\n1002;Boiler\n'].map((each) => gzipSync(each)),
    ),
    flags: CONTINUE,
    code: 2,
    message: /line 3: The row is equal to the header/,
    count: 2,
    rows: [FEED_PUMP],
  },
  {
    file: 'A mapping, so that the file is converted',
    text: 'EQUNR;Name\n1001;Feed pump\nEQUNR;Name\n1002;Boiler\n',
    flags: [...CONTINUE, '--mapping', mapping('{ from: EQUNR }, { from: Name, map: { Boiler: Kettle } }')],
    code: 2,
    message: /line 3: The row is equal to the header/,
    count: 2,
    rows: [{ equnr: '1002', name: 'Kettle' }],
  },
  {
    file: 'Fixed widths',
    text: 'EQUNName\n1001Pump\nEQUNName\n1002Fan \n',
    flags: [...CONTINUE, '--layout', layout('EQUN', 'Name')],
    code: 2,
    message: /line 1: The row is equal[^]*line 3: The row is equal/,
    count: 2,
    rows: [{ equn: '1001', name: 'Pump' }],
  },
];

/** Several names of the file for one column. */
const SAME_COLUMN: FieldCase[] = [
  {
    file: '62-twin-header.xlsx',
    stored: [{ equnr: '1', name: 'x' }],
    code: 1,
    message: /"Name" and "NAME" are both for/,
  },
  {
    file: '62b-key-and-name.xlsx',
    stored: [{ equnr: '1', weight: 1 }],
    names: { weight: 'Weight in kg' },
    code: 1,
    message: /"weight" and "Weight in kg" are both for the column "weight"/i,
  },
  {
    file: '62c-twin-header.sap.txt',
    stored: [{ equnr: '1', name: 'x' }],
    code: 1,
    message: /Line 2: "Name" and "NAME" are both for/,
  },
  { file: '62c-twin-header.sap.txt', code: 1, message: /"Name" and "NAME" are both for/ },
  {
    file: 'Fields of a layout',
    text: '1001PumpPUMP\n',
    flags: ['--layout', layout('EQUNR', 'Name', 'NAME')],
    stored: [{ equnr: '1', name: 'x' }],
    code: 1,
    message: /"Name" and "NAME" are both for/,
  },
  {
    file: 'A layout with a name twice',
    text: '1001PumpPUMP\n',
    flags: ['--layout', layout('EQUNR', 'Name', 'Name')],
    code: 1,
    message: /the header has the name "Name" twice/,
  },
  {
    file: 'CSV',
    text: 'EQUNR,Name,NAME\n1001,Pump,PUMP\n',
    stored: [{ equnr: '1', name: 'x' }],
    code: 1,
    message: /Line 1: "Name" and "NAME" are both for/,
  },
  {
    file: 'Two sources of a mapping',
    text: 'EQUNR,A,B\n1001,Pump,PUMP\n',
    flags: ['--mapping', mapping('{ from: EQUNR }, { from: A, key: name }, { from: B, name: Name }')],
    stored: [{ equnr: '1', name: 'x' }],
    code: 1,
    message: /"A" and "B" are both for the column "name"/,
  },
  {
    file: 'A source and a constant of a mapping',
    text: '{"EQUNR":"1001","A":"Pump"}\n',
    flags: ['--format', 'ndjson', '--mapping', mapping('{ from: EQUNR }, { from: A, key: n }, { key: n, value: x }')],
    code: 1,
    message: /"A" and a constant are both for the column "n"/,
  },
  {
    file: 'NDJSON that is converted',
    text: Buffer.from(
      '\ufeff{"equnr":"1","Name":"a"}\n{"equnr":"2","NAME":"b"}\n{"equnr":"3","Name":"c","NAME":"d"}\n',
      'utf16le',
    ),
    flags: ['--format', 'ndjson', '--on-error', 'continue'],
    stored: [{ equnr: '1', name: 'x' }],
    code: 2,
    message: /line 3, column name: "Name" and "NAME" are both for/,
    count: 2,
    rows: [
      { equnr: '1', name: 'a' },
      { equnr: '2', name: 'b' },
    ],
  },
  {
    file: '80-unmapped-duplicates.csv',
    flags: ['--mapping', join(FOLDER, '80-mapping.yaml')],
    count: 1,
    rows: [{ equnr: '1001', name: 'Feed pump' }],
  },
  { file: '80-unmapped-duplicates.csv', code: 1, message: /Line 1: the header has the name "Comment" twice/ },
  {
    file: 'A layout with a name twice that a mapping does not read',
    text: '1001PumpPUMP\n',
    flags: ['--layout', layout('EQUNR', 'X', 'X'), '--mapping', mapping('{ from: EQUNR }')],
    count: 1,
    rows: [{ equnr: '1001' }],
  },
];

/** Further reports, with the repository and the number of the issue. */
const REPORTS: FieldCase[] = [
  {
    file: 'AB1908/GOG-Galaxy-Export-Script#7: CR before CRLF',
    text: 'Equipment,Name\r\r\nP-1,Pump\r\r\nP-2,Fan\r\r\n',
    count: 2,
    rows: [pump, fan],
  },
  {
    file: 'firefly-iii/firefly-iii#691: rows of commas at the top',
    text: ',\nEquipment,Name\n,\nP-1,Pump\n',
    count: 1,
    rows: [pump],
  },
  {
    file: 'mholt/PapaParse#600: commas in a header with semicolons',
    text: 'Equipment;Name;Size (cm, outer)\nP-1;Pump;10\nP-2;Fan, small;20\n',
    count: 2,
    rows: [{ ...pump, size_cm_outer: 10 }],
  },
  {
    file: 'JuliaData/CSV.jl#746: commas only in cells',
    text: 'Equipment;Name;Size\nP-1;a,b,c;3\n',
    count: 1,
    rows: [{ equipment: 'P-1', name: 'a,b,c', size: 3 }],
  },
  {
    file: 'mechatroner/vscode_rainbow_csv#129: title with other cells',
    text: 'Machine Export,28 Feb 2023\nEquipment,Name,Tags\nP-1,Pump,a;b\n',
    code: 2,
    message: /line 2: The header has 2 cells; this row has 3 cells/,
  },
  {
    file: 'mechatroner/vscode_rainbow_csv#129: with its header row',
    text: 'Machine Export,28 Feb 2023\nEquipment,Name,Tags\nP-1,Pump,a;b\n',
    flags: ['--header-row', '2'],
    count: 1,
    rows: [{ ...pump, tags: 'a;b' }],
  },
  {
    file: 'codeinthehole/csvfilter#8: NUL',
    text: 'Equipment,Name\nP-1,Pu\0mp\n',
    code: 2,
    message: /line 2, key P-1, column name: .*U\+0000/,
  },
  {
    file: 'adaltas/node-csv-parse#138: blank before a quote',
    text: 'Equipment,Name\nP-1, "Ford"\n',
    count: 1,
    rows: [{ equipment: 'P-1', name: 'Ford' }],
  },
  {
    file: 'adaltas/node-csv-parse#36: blank after a quote',
    text: 'Equipment,Name\n"P-1","Pump" \n',
    code: 1,
    message: /Line 2 begins a record in which text follows/,
  },
  {
    file: 'mholt/PapaParse#1078: digits with an e',
    text: 'Equipment,Serial\nP-1,713752e1\n',
    count: 1,
    rows: [{ equipment: 'P-1', serial: '713752e1' }],
  },
  {
    file: 'tilo/smarter_csv#345: long digits with an E',
    text: 'Equipment,Serial\nP-1,0047583311587E590003\n',
    count: 1,
    rows: [{ equipment: 'P-1', serial: '0047583311587E590003' }],
  },
  {
    file: 'proompteng/bilig#28: accounts with leading zeros',
    text: 'Account,Cost center,Amount\n0010,00042,125.50\n"0100","007",50\n',
    count: 2,
    rows: [{ account: '0010', cost_center: '00042', amount: 125.5 }],
  },
  {
    file: 'CartoDB/cartodb#6224: E and digits',
    text: 'Equipment,Serial\nP-1,E00000012\n',
    count: 1,
    rows: [{ equipment: 'P-1', serial: 'E00000012' }],
  },
];

/** Values and names with two readings. */
const TWO_READINGS: FieldCase[] = [
  {
    file: 'A total with a decimal comma proves how the weight is read',
    text: 'Id,Weight,Total\nA,1.234,"12.345,67"\nB,2.500,"2,5"\n',
    count: 2,
    rows: [
      { id: 'A', weight: 1_234, total: 12_345.67 },
      { id: 'B', weight: 2_500, total: 2.5 },
    ],
  },
  {
    file: 'A code page of DOS',
    text: Buffer.from('Id;Name\nA;M\x81ller\n', 'latin1'),
    code: 1,
    message: /The encoding is not certain: line 2[^]*--encoding cp850 reads "A;Müller"/,
  },
  {
    file: 'Eight digits',
    text: 'Id;Serial\nA;20011001\nB;20011002\n',
    code: 1,
    message: /"20011001" \(line 2, column "Serial"\).*may be dates or numbers.*--date-format YYYYMMDD/,
  },
  {
    file: 'Eight digits, decided',
    text: 'Id;Serial\nA;20011001\nB;20011002\n',
    flags: ['--date-format', 'YYYYMMDD'],
    count: 2,
    rows: [{ id: 'A', serial: '2001-10-01' }],
  },
  {
    file: 'Eight digits and an empty date of SAP',
    text: 'Id;Day\nA;20011001\nB;00000000\n',
    count: 2,
    rows: [
      { id: 'A', day: '2001-10-01' },
      { id: 'B', day: null },
    ],
  },
  {
    file: 'Texts of NDJSON',
    text: '{"id":"A","w":"1.234"}\n{"id":"B","w":"2.500"}\n',
    flags: ['--format', 'ndjson'],
    code: 1,
    message: /"1.234" \(line 1, column "w"\).*--decimal/,
  },
  { file: 'Only X', text: 'Id;Axis\nA;X\nB;X\n', count: 2, rows: [{ id: 'A', axis: 'X' }] },
  {
    file: 'X in some rows',
    text: 'Id;Deleted\nA;X\nB;\n',
    count: 2,
    rows: [
      { id: 'A', deleted: true },
      { id: 'B', deleted: null },
    ],
  },
  {
    file: 'Columns with the names of those of rejected rows',
    text: 'line;code;column;message;id\n9;a;b;c;A\n',
    code: 1,
    message: /line, code, column, message, which are those of rejected rows.*the table does not exist/,
  },
  {
    file: 'UTF-32',
    text: Buffer.from([0xff, 0xfe, 0, 0, 0x49, 0, 0, 0, 0x0a, 0, 0, 0]),
    code: 1,
    message: /UTF-32/,
  },
];

/** The text of a layout file whose fields have four characters. */
function layout(...names: string[]): string {
  return JSON.stringify({ fields: names.map((name, at) => ({ name, start: at * 4, width: 4 })) });
}

/** The text of a mapping file. */
function mapping(columns: string): string {
  return `columns: [${columns}]`;
}

let service: SharedService;
let atrium: CommandLine;

beforeAll(async () => {
  ({ service } = await shareService());
  atrium = new CommandLine(service, await service.provision());
});

let tables = 0;

it.each(
  [
    ...CASES,
    ...SAME_COLUMN,
    ...STARS,
    ...REPEATED_HEADER,
    ...INFERRED,
    ...BLANK_QUOTES,
    ...JSON_DOCUMENTS,
    ...WORKBOOKS,
    ...CORPORA,
    ...REPORTS,
    ...TWO_READINGS,
  ].map((each): [string, FieldCase] => [`${each.file} ${(each.flags ?? []).join(' ')}`, each]),
)(
  '%s',
  async (_, { file, text, flags: given = [], stored, names = {}, rows = [], count, code = 0, message }) => {
    const table = `Case ${++tables}`;
    // The text of a layout or mapping becomes a file.
    const flags = given.map((flag, at) =>
      /^columns:|^\{"fields"/.test(flag) ? atrium.write(`flag-${at}.yaml`, flag) : flag,
    );
    const path = text === undefined ? join(FOLDER, file) : atrium.write(`report-${tables}.csv`, text);
    if (stored) await atrium.fill(table, stored, names);
    const create = stored ? [] : ['--create'];
    const outcome = await atrium.run(['import', path, '--table', table, '--yes', ...create, ...flags]);
    expect(outcome).toMatchObject({ code });
    if (message) expect(outcome.stderr).toMatch(message);
    expect(outcome.stderr).not.toMatch(/^ {4}at /m);
    const found = await atrium.rowsOf(table);
    if (code !== 0 && count === undefined) expect(found).toEqual(stored ?? []);
    else expect(found).toHaveLength(count!);
    for (const row of rows) expect(found).toContainEqual(expect.objectContaining(row));
  },
  60_000,
);

describe('an existing table', () => {
  const file = (name: string) => join(FOLDER, name);

  it('decides names and types with --create: no second column for a name, and new columns are added', async () => {
    const { client } = atrium;
    await client.assets('Names').upsert([{ equipment: 'P-1', column_2: 'neu' }], {
      columns: [
        { key: 'equipment', name: 'Equipment', type: 'text' },
        { key: 'column_2', name: '備考', type: 'text' },
      ],
    });
    await atrium.json('import', file('33e-one-japanese-header.csv'), '--table', 'Names', '--create');
    expect(await atrium.rowsOf('Names')).toEqual([{ equipment: 'P-1', column_2: '古い' }]);
    await client.assets('Weights').upsert([], {
      columns: [
        { key: 'equnr', name: 'EQUNR', type: 'text' },
        { key: 'weight', name: 'Weight in kg', type: 'number' },
        { key: 'name', name: 'Name', type: 'text' },
      ],
    });
    await atrium.json('import', file('35-renamed-column.csv'), '--table', 'Weights', '--create');
    await atrium.json('import', file('36-create-on-existing.csv'), '--table', 'Weights', '--create');
    expect(await atrium.rowsOf('Weights')).toEqual([
      { equnr: '1001', weight: 200, name: 'Pump', plant: 'AT10' },
      { equnr: '1002', weight: 75, name: 'Fan', plant: 'AT10' },
    ]);
  });

  it('has the first column as its key, also in the next night', async () => {
    await atrium.json('import', file('37-numeric-key.csv'), '--table', 'Keys', '--create');
    await atrium.json('import', file('37b-numeric-key-next-night.csv'), '--table', 'Keys', '--create');
    expect((await atrium.rowsOf('Keys')).map(({ equipment }) => equipment)).toEqual([
      ...['10004711', '10004712', '10004713', '10004714'],
    ]);
    await atrium.json('import', file('38-night-1.csv'), '--table', 'Nights', '--create');
    await atrium.json('import', file('38-night-2.csv'), '--table', 'Nights', '--create');
    expect(await atrium.rowsOf('Nights')).toEqual([
      { equipment: 'P-1', serial: '12' },
      { equipment: 'P-2', serial: '99' },
    ]);
  });
});

it('a rejected object is imported after its correction without the keys that it lacks', async () => {
  await atrium.fill('Objects', [
    { id: 'D', name: 'Stored', w: 1 },
    { id: 'E', name: 'Stored', w: 1 },
  ]);
  atrium.write('objects.ndjson', '{"id":"D","w":"bad"}\n{"id":"E","name":"n","w":2}\n');
  const flags = ['--table', 'Objects', '--on-error', 'continue', '--results', 'objects'];
  expect(await atrium.run(['import', 'objects.ndjson', ...flags])).toMatchObject({ code: 2 });
  const [rejected] = atrium.read('objects/rejected.ndjson').split('\n');
  expect(JSON.parse(rejected!)).toMatchObject({
    line: 1,
    code: 'type_mismatch',
    column: 'w',
    row: { id: 'D', w: 'bad' },
  });
  atrium.write('corrected.ndjson', rejected!.replace('"bad"', '7'));
  await atrium.json('import', 'corrected.ndjson', '--table', 'Objects');
  expect(await atrium.rowsOf('Objects')).toEqual([
    { id: 'D', name: 'Stored', w: 7 },
    { id: 'E', name: 'n', w: 2 },
  ]);
});

it('a value map has any values, and a line of fixed width no more text than its fields', async () => {
  atrium.write('kinds.csv', 'EQUNR;EQART\n1;__proto__\n2;constructor\n');
  atrium.write(
    'kinds.yaml',
    'columns:\n  - { from: EQUNR }\n  - { from: EQART, key: kind, name: Kind, map: { __proto__: weird, constructor: plain } }\n',
  );
  await atrium.json('import', 'kinds.csv', '--table', 'Kinds', '--create', '--mapping', 'kinds.yaml');
  expect(await atrium.rowsOf('Kinds')).toEqual([
    { equnr: '1', kind: 'weird' },
    { equnr: '2', kind: 'plain' },
  ]);
  atrium.write('wide.txt', 'AAABBBBB\nCCCDDDDDEEE\n');
  const fields = [
    { name: 'id', start: 0, width: 3 },
    { name: 'name', start: 3, width: 5 },
  ];
  atrium.write('wide.json', JSON.stringify({ fields }));
  const wide = await atrium.run(['import', 'wide.txt', '--layout', 'wide.json', '--table', 'Wide', '--create']);
  expect(wide).toMatchObject({ code: 2 });
  expect(wide.stderr).toMatch(/line 2: .*text after its 8 characters/);
});

it('an export has the format that its name promises', async () => {
  await atrium.fill('Named', [{ id: 'A', w: 1 }]);
  expect((await atrium.run(['export', 'Named', '--output', 'named.xlsx'])).code).toBe(0);
  expect(atrium.read('named.xlsx').slice(0, 2)).toBe('PK');
  expect((await atrium.run(['export', 'Named', '--output', 'named.ndjson'])).code).toBe(0);
  expect(atrium.read('named.ndjson')).toBe('{"id":"A","w":1}\n');
  const rejected = await atrium.run(['export', 'Named', '--output', 'named.xls']);
  expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining('".xls" is not written') });
  expect((await atrium.run(['export', 'Named', '--format', 'csv', '--output', 'named.txt'])).code).toBe(0);
});

describe('files whose outcome is in later commands', () => {
  const file = (name: string) => join(FOLDER, name);

  it('61-skipped-duplicates.csv: the retry sends no skipped row', async () => {
    await atrium.fill('Skipped', [{ key: 'A', name: 'stored', w: 0 }]);
    const flags = ['--table', 'Skipped', '--on-duplicate', 'last', '--on-error', 'continue', '--results', 'skipped'];
    expect(await atrium.run(['import', file('61-skipped-duplicates.csv'), ...flags])).toMatchObject({ code: 2 });
    atrium.write('skipped/rejected.csv', atrium.read('skipped/rejected.csv').replaceAll('heavy', '7'));
    await atrium.json('import', '--retry-rejected', 'skipped');
    expect(await atrium.rowsOf('Skipped')).toEqual([
      { key: 'A', name: 'new', w: 2 },
      { key: 'B', name: 'b', w: 7 },
      { key: 'C', name: 'c', w: 3 },
    ]);
  });

  it('64-date-times.csv: one group per day, and only dates in OData', async () => {
    await atrium.json('import', file('64-date-times.csv'), '--table', 'Moments', '--create');
    const groups = await atrium.json('query', 'Moments', '--group', 'since:day', '--count');
    expect(groups).toEqual([{ group: { 'since:day': '2024-01-31' }, measures: { count: 3 } }]);
    const { body } = await new ODataFeed(service, atrium.caller).get('/assets_Moments');
    expect(body.value.map(({ since }: Record<string, unknown>) => since)).toEqual(Array(3).fill('2024-01-31'));
  });

  it('76-no-plant.csv: a condition without a value selects the rows that have one', async () => {
    await atrium.fill('Plants', [
      { key: 'A', plant: '1000' },
      { key: 'B', plant: '2000' },
      { key: 'D', plant: '' },
    ]);
    await atrium.client.assets('Plants').upsert([{ key: 'C', plant: null }]);
    const found = await atrium.json<{ key: string }[]>('query', 'Plants', '--where', 'plant!=');
    expect(found.map(({ key }) => key)).toEqual(['A', 'B', 'D']);
    atrium.write('one-plant.csv', 'key,plant\nA,1000\n');
    const flags = ['--filter', '{"plant":{"null":false}}', '--max-deletions', '100%', '--yes'];
    expect(await atrium.run(['sync', 'one-plant.csv', 'Plants', ...flags])).toMatchObject({ code: 0 });
    expect((await atrium.rowsOf('Plants')).map(({ key }) => key)).toEqual(['A', 'C']);
  });

  it('79-odata-clients.txt: each request has rows, or an error that names what is not supported', async () => {
    const options = { target: { entity: 'location' as const, table: 'Rooms' } };
    await atrium.client.locations('Rooms').upsert([{ key: 'R', name: 'Room' }], {
      columns: [
        { key: 'key', name: 'Key', type: 'text' },
        { key: 'name', name: 'Name', type: 'text' },
      ],
    });
    await atrium.client.assets('X').upsert([{ k: '1', name: 'Pump', since: '2024-01-31', loc: 'R' }], {
      columns: [
        { key: 'k', name: 'K', type: 'text' },
        { key: 'name', name: 'Name', type: 'text' },
        { key: 'since', name: 'Since', type: 'date' },
        { key: 'loc', name: 'Loc', type: 'reference', options },
      ],
    });
    const lines = readFileSync(file('79-odata-clients.txt'), 'utf8').trim().split('\n');
    const requests = lines.map((line) => line.split(/\s{3,}/)[0]!);
    const keys = Array.from({ length: 51 }, (__, at) => `k eq '${at}'`).join(' or ');
    const outcomes: unknown[] = [];
    const feed = new ODataFeed(service, atrium.caller);
    for (const sent of requests) {
      if (sent.startsWith('POST')) continue;
      const path = sent.replace(/k eq '0' or .*/, keys);
      const { status, body } = await feed.get(`/${encodeURI(path)}`);
      outcomes.push(status === 200 ? body.value.length : [status, body.error.message]);
    }
    expect(outcomes).toEqual([
      ...[1, 1, 1, 1],
      [501, expect.stringContaining('the path to the property "name"')],
      [501, expect.stringContaining('the row "locRow" cannot be compared. Compare its reference')],
      1,
      [501, expect.stringContaining('$orderby: only properties of the entity set itself')],
    ]);
  });
});
