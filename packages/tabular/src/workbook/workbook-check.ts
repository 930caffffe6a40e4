import { decodeXml, scanXml, type XmlEvents } from './xml-scan.js';
import { ZipArchive } from './zip-archive.js';

/** A sheet of a workbook, in the order of its tabs. */
export interface WorkbookSheet {
  name: string;
  isVisible: boolean;
  /** Has it cells? Others are charts and dialogs. */
  isWorksheet: boolean;
  part: string;
}

/** What a sheet contains, for comparison with what was read. */
export interface SheetContent {
  /** Cells with a value that is not an empty text. */
  filled: number;
  /** The last row and column with a value or a formula, from 1; 0 if there are none. Formats do not count. */
  lastRow: number;
  lastColumn: number;
}

interface Relationship {
  type: string;
  part: string;
}

const TYPES = [undefined, 'n', 's', 'str', 'inlineStr', 'b', 'e', 'd'];
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const CELL = /^([A-Z]{1,3})([1-9]\d{0,6})$/;
const MAX_ROW = 1_048_576;
const MAX_COLUMN = 16_384;

/**
 * Checks a workbook before it is read: readers forgive a reference to a text that does not exist, a missing part or XML
 * that was cut, and read an empty cell or fewer rows, which would clear values and delete rows.
 *
 * @throws {Error} with a problem that continues `The workbook cannot be read:`
 */
export class WorkbookCheck {
  readonly sheets: WorkbookSheet[] = [];
  /** Do numbers of dates count from 1904? */
  is1904 = false;
  private relationships = new Map<string, Relationship>();

  private constructor(private readonly archive: ZipArchive) {}

  /**
   * @param bytes are changed: names of parts are written as others refer to them.
   * @param maxBytes of all parts, decompressed.
   */
  static async open(bytes: Uint8Array<ArrayBuffer>, maxBytes: number): Promise<WorkbookCheck> {
    const check = new WorkbookCheck(new ZipArchive(bytes, maxBytes));
    await check.readSheets();
    return check;
  }

  /** Reads a whole sheet, and the texts and formats to which its cells refer. */
  async checkSheet({ part }: WorkbookSheet): Promise<SheetContent> {
    const texts = await this.readTexts();
    const formats = await this.countFormats();
    const content = { filled: 0, lastRow: 0, lastColumn: 0 };
    const cell = new CheckedCell(texts, formats, content);
    await this.scan(part, cell);
    return content;
  }

  private async readSheets(): Promise<void> {
    const part = await this.findWorkbook();
    this.relationships = await this.readRelationships(part);
    await this.scan(part, {
      open: (name, attributes) => {
        // Extensions have an element of this name, too.
        if (name === 'workbookPr') this.is1904 ||= ['1', 'true'].includes(attributes.get('date1904') ?? '');
        if (name !== 'sheet') return;
        const sheet = attributes.get('name') ?? '';
        const found = this.relationships.get(attributes.get('id') ?? '');
        if (!found) throw new Error(`its sheet "${sheet}" has no content`);
        const isVisible = !['hidden', 'veryHidden'].includes(attributes.get('state') ?? '');
        this.sheets.push({ name: sheet, isVisible, isWorksheet: found.type === 'worksheet', part: found.part });
      },
      close: () => undefined,
    });
  }

  private async findWorkbook(): Promise<string> {
    if (!this.archive.has('_rels/.rels')) return 'xl/workbook.xml';
    const relationships = await this.readRelationships('');
    const found = [...relationships.values()].find(({ type }) => type === 'officeDocument');
    if (!found) throw new Error('its workbook part is missing');
    return found.part;
  }

  private async readRelationships(of: string): Promise<Map<string, Relationship>> {
    const [, folder, name] = /^(.*\/)?(.*)$/s.exec(of)!;
    const relationships = new Map<string, Relationship>();
    await this.scan(`${folder ?? ''}_rels/${name}.rels`, {
      open: (element, attributes) => {
        if (element !== 'Relationship' || attributes.get('TargetMode') === 'External') return;
        const target = attributes.get('Target') ?? '';
        const type = attributes.get('Type')?.split('/').at(-1) ?? '';
        relationships.set(attributes.get('Id') ?? '', { type, part: resolvePart(folder ?? '', target) });
      },
      close: () => undefined,
    });
    return relationships;
  }

  private findPart(type: string): string | undefined {
    return [...this.relationships.values()].find((each) => each.type === type)?.part;
  }

  /** Has each of the shared texts a character? */
  private async readTexts(): Promise<boolean[]> {
    const part = this.findPart('sharedStrings');
    const texts: boolean[] = [];
    if (part === undefined) return texts;
    const reader = new TextReader();
    await this.scan(part, {
      open: (name) => {
        if (name === 'si') texts.push(false);
        reader.open(name);
      },
      close: (name) => {
        reader.close(name);
      },
      text: (text) => {
        if (reader.isText && text !== '') texts[texts.length - 1] = true;
      },
    });
    return texts;
  }

  /** The number of formats of cells. */
  private async countFormats(): Promise<number> {
    const part = this.findPart('styles');
    if (part === undefined) return 1;
    let [count, isInside] = [0, false];
    await this.scan(part, {
      open: (name) => {
        if (name === 'cellXfs') isInside = true;
        if (name === 'xf' && isInside) count++;
      },
      close: (name) => {
        if (name === 'cellXfs') isInside = false;
      },
    });
    return Math.max(1, count);
  }

  private async scan(part: string, events: XmlEvents): Promise<void> {
    const xml = await this.archive.read(part);
    try {
      scanXml(xml, events);
    } catch (error) {
      const { message } = error as Error;
      throw message.startsWith('is not') ? new Error(`its part ${part} ${message}`) : error;
    }
  }
}

/** The name of a part that a part in a folder refers to. */
function resolvePart(folder: string, target: string): string {
  if (target.startsWith('/')) return target.slice(1);
  const names: string[] = [];
  for (const name of `${folder}${target}`.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '.' && name !== '') names.push(name);
  }
  return names.join('/');
}

/** Texts of an element, without those that show its pronunciation. */
class TextReader {
  private depth = 0;
  private inside = false;

  get isText(): boolean {
    return this.inside && this.depth === 0;
  }

  open(name: string): void {
    if (name === 'rPh') this.depth++;
    if (name === 't') this.inside = true;
  }

  close(name: string): void {
    if (name === 'rPh') this.depth--;
    if (name === 't') this.inside = false;
  }
}

/** The cells of a sheet, one after the other. */
class CheckedCell implements XmlEvents {
  private row = 0;
  private column = 0;
  private type: string | undefined;
  private value = '';
  private hasFormula = false;
  private isValue = false;
  private isCell = false;
  private readonly texts = new TextReader();
  private inline = false;

  constructor(
    private readonly sharedTexts: readonly boolean[],
    private readonly formats: number,
    private readonly content: SheetContent,
  ) {}

  open(name: string, attributes: { get: (name: string) => string | undefined }): void {
    if (name === 'row') this.openRow(attributes.get('r'));
    else if (name === 'c') this.openCell(attributes.get('r'), attributes.get('t'), attributes.get('s'));
    else if (!this.isCell) return;
    else if (name === 'v') this.isValue = true;
    else if (name === 'f') this.hasFormula = true;
    else this.texts.open(name);
  }

  text(text: string): void {
    if (this.isValue) this.value += text;
    else if (this.isCell && this.texts.isText && text !== '') this.inline = true;
  }

  close(name: string): void {
    if (name === 'v') this.isValue = false;
    else if (name === 'c') this.closeCell();
    else if (this.isCell) this.texts.close(name);
  }

  private openRow(number: string | undefined): void {
    const row = number === undefined ? this.row + 1 : Number(number);
    if (!Number.isInteger(row) || row <= this.row || row > MAX_ROW)
      throw new Error(`its row ${number ?? row} does not follow row ${this.row}`);
    this.row = row;
    this.column = 0;
  }

  private openCell(address: string | undefined, type: string | undefined, format: string | undefined): void {
    const [, letters, row] = address === undefined ? [] : (CELL.exec(address) ?? ['', '', '0']);
    const column = letters === undefined ? this.column + 1 : toColumn(letters);
    if ((row !== undefined && Number(row) !== this.row) || column <= this.column || column > MAX_COLUMN)
      throw new Error(`its cell ${address ?? `${column} of row ${this.row}`} is not in order`);
    if (!TYPES.includes(type)) throw this.reject(`has the type ${type!}`);
    if (format !== undefined && !(Number(format) < this.formats)) throw this.reject('has a format that does not exist');
    Object.assign(this, { column, type, value: '', hasFormula: false, inline: false, isCell: true });
  }

  private closeCell(): void {
    this.isCell = false;
    const value = this.type === 'str' || this.type === 'e' ? decodeXml(this.value) : this.value.trim();
    const isFilled = value === '' ? this.inline : this.isFilled(value);
    if (isFilled) this.content.filled++;
    if (!isFilled && !this.hasFormula) return;
    this.content.lastRow = this.row;
    this.content.lastColumn = Math.max(this.content.lastColumn, this.column);
  }

  private isFilled(value: string): boolean {
    if (this.type === 's') {
      const text = /^\d+$/.test(value) ? this.sharedTexts[Number(value)] : undefined;
      if (text === undefined) throw this.reject('refers to a text that does not exist');
      return text;
    }
    const isNumber = this.type === undefined || this.type === 'n';
    if (isNumber && !(NUMBER.test(value) && Number.isFinite(Number(value)))) throw this.reject('is not a number');
    if (this.type === 'b' && !/^[01]$|^(?:true|false)$/.test(value)) throw this.reject('is neither true nor false');
    return true;
  }

  private reject(problem: string): Error {
    return new Error(`its cell in row ${this.row}, column ${this.column} ${problem}`);
  }
}

function toColumn(letters: string): number {
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}
