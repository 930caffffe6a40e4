/** A tag, a comment, CDATA or an instruction, but no declaration of a document type, which may define entities. */
const MARKUP =
  /<(?:(\/)?([A-Za-z_][\w.-]*(?::[\w.-]+)?)((?:\s+[\w.:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/)?>|!--[\s\S]*?-->|!\[CDATA\[([\s\S]*?)\]\]>|\?[\s\S]*?\?>)/y;
const ATTRIBUTE = /([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const INVALID_REFERENCE = /&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)/;
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&apos;', "'"],
]);

export interface XmlEvents {
  /** @param name without its prefix */
  open: (name: string, attributes: Attributes) => void;
  close: (name: string) => void;
  /** A part of the text of an element, as it is written. */
  text?: (text: string) => void;
}

/** The attributes of a tag, as they are written; parsed only if they are needed. */
export class Attributes {
  private parsed: [name: string, value: string][] | undefined;

  constructor(private readonly text: string) {}

  /** @param name without its prefix, which is ignored */
  get(name: string): string | undefined {
    const found = this.list().find(([each]) => each === name || each.endsWith(`:${name}`));
    return found && decodeXml(found[1]);
  }

  private list(): [name: string, value: string][] {
    if (this.parsed) return this.parsed;
    this.parsed = [];
    ATTRIBUTE.lastIndex = 0;
    for (let found = ATTRIBUTE.exec(this.text); found; found = ATTRIBUTE.exec(this.text))
      this.parsed.push([found[1]!, found[2] ?? found[3] ?? '']);
    return this.parsed;
  }
}

/** Replaces the references of XML. */
export function decodeXml(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:[a-z]+|#\d+|#x[\da-fA-F]+);/g, (reference) => {
    const [, hex, decimal] = /^&#(?:x([\da-fA-F]+)|(\d+));$/.exec(reference) ?? [];
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    return ENTITIES.get(reference) ?? (code <= 0x10ffff ? String.fromCodePoint(code) : reference);
  });
}

/** Reads a whole document in linear time. @throws {Error} if it is not well-formed, for example because it was cut */
export function scanXml(xml: string, events: XmlEvents): void {
  const createSyntaxError = (): Error => new Error('is not well-formed XML, or was cut');
  if (INVALID_REFERENCE.test(xml)) throw createSyntaxError();
  const opened: string[] = [];
  let hasRoot = false;
  let at = xml.charCodeAt(0) === 0xfeff ? 1 : 0;
  for (;;) {
    const next = xml.indexOf('<', at);
    const between = xml.slice(at, next < 0 ? xml.length : next);
    if (opened.length === 0 && between.trim() !== '') throw createSyntaxError();
    if (between !== '' && opened.length > 0) events.text?.(between);
    if (next < 0) break;
    MARKUP.lastIndex = next;
    const found = MARKUP.exec(xml);
    if (!found) throw createSyntaxError();
    at = MARKUP.lastIndex;
    const [, isEnd, name, attributes, isEmpty, data] = found;
    if (data !== undefined) events.text?.(data.replaceAll('&', '&amp;'));
    if (name === undefined) continue;
    const local = name.slice(name.indexOf(':') + 1);
    if (isEnd) {
      if (opened.pop() !== name) throw createSyntaxError();
      events.close(local);
      continue;
    }
    if (opened.length === 0 && hasRoot) throw createSyntaxError();
    hasRoot = true;
    events.open(local, new Attributes(attributes ?? ''));
    if (isEmpty) events.close(local);
    else opened.push(name);
  }
  if (opened.length > 0 || !hasRoot) throw createSyntaxError();
}
