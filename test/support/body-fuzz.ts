import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Api } from './api.js';
import { ROOT } from './service.js';

const FOLDER = join(ROOT, 'test/fixtures/field-cases/api');
const PNG = readFileSync(join(ROOT, 'test/fixtures/files/picture.png'));
const BOUNDARY = '----fuzz7MA4YWxk';

/** A body that is valid as it is. */
interface Body {
  type: string;
  bytes: Buffer;
}

/** What a note has of a body. */
interface Content {
  title: string | null;
  description: string | null;
  priority: string | null;
  customFields: Record<string, string>;
  files: [name: string, size: number][];
}

const FORM = `multipart/form-data; boundary=${BOUNDARY}`;
const JSON_TYPE = 'application/json';

type Part = [disposition: string, content: string | Buffer, ...headers: string[]];

/** A form with line breaks and delimiters as clients write them. */
function toForm(parts: readonly Part[], { padding = '', start = '', end = '--\r\n' } = {}): Body {
  const chunks = parts.flatMap(([disposition, content, ...headers]) => [
    Buffer.from(`--${BOUNDARY}${padding}\r\nContent-Disposition: form-data; ${disposition}\r\n`),
    Buffer.from(headers.map((header) => `${header}\r\n`).join('')),
    Buffer.concat([Buffer.from('\r\n'), Buffer.from(content), Buffer.from('\r\n')]),
  ]);
  return { type: FORM, bytes: Buffer.concat([Buffer.from(start), ...chunks, Buffer.from(`--${BOUNDARY}${end}`)]) };
}

const toJson = (value: unknown, indent?: number): Body => ({
  type: JSON_TYPE,
  bytes: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value, undefined, indent)),
});

const caseOf = (name: string, type: string): Body => ({ type, bytes: readFileSync(join(FOLDER, name)) });

const title: Part = ['name="title"', 'Leak at the pump'];
const picture: Part = ['name="files"; filename="leak.png"', PNG, 'Content-Type: image/png'];
const json = {
  title: 'Leak',
  description: 'a\nb "c" \\ é 😀',
  priority: 'high',
  customFields: { shift: 'night', Ü: '1' },
};
const fileOf = (data: string) => ({ title: 'File', files: [{ filename: 'a.png', contentType: 'image/png', data }] });

/** Forty bodies, as clients of several languages send them. */
export const BODIES: readonly Body[] = [
  ...[[title], [title, picture], [picture, title], [title, picture, picture], [picture]].map((parts) => toForm(parts)),
  toForm([title, picture], { padding: ' ' }),
  toForm([title, picture], { start: '\r\n' }),
  toForm([title, picture], { end: '--' }),
  toForm([title, ['name="description"', 'one\r\ntwo\nthree']]),
  toForm([title, ['name="description"', '']]),
  toForm([title, ['name="customFields[shift]"', 'night'], ['name="customFields[Ü]"', '1']]),
  toForm([title, ['name="customFields"', '{"shift":"night"}']]),
  toForm([title, ['name="customFields"', '{"shift":"night"}', 'Content-Type: application/json']]),
  toForm([title, ['name="customFields"; filename="blob"', '{"a":"1"}', 'Content-Type: application/json']]),
  toForm([title, ['name="files"; filename=""', '', 'Content-Type: application/octet-stream']]),
  toForm([title, ['name="files"', '']]),
  toForm([title, [`name="files"; filename="x.png"; filename*=UTF-8''B%C3%A4r.png`, PNG]]),
  toForm([title, ['name="files[0]"; filename="Prüfung.png"', PNG], ['name=files[]; filename=b.png', PNG]]),
  toForm([title, ['name="files"; filename="a%22b.png"', PNG], ['name="files"; filename="C:\\x\\c.png"', PNG]]),
  toForm([
    ['name="title"', 'Größe 😀', 'Content-Type: text/plain; charset=utf-8'],
    ['name="priority"', 'high'],
  ]),
  toForm([['name="title"', Buffer.from([0x50, 0xfc]), 'Content-Type: text/plain; charset=windows-1252']]),
  toForm([['name="title"', 'Pr=C3=BCfung', 'Content-Transfer-Encoding: quoted-printable'], picture]),
  toForm([title, ['name="files"; filename="b.png"', PNG.toString('base64'), 'Content-Transfer-Encoding: base64']]),
  toForm([title, ['name="description"', 'x'.repeat(20_000)], picture]),
  toForm([title, ['name="description"', `--${BOUNDARY.slice(0, -1)}\r\n--x`], ['name="assignee"', 'm@x.test']]),
  toForm([title, ...Array.from({ length: 9 }, () => picture)]),
  ...[json, { title: 'x' }, { title: 'x', description: null, files: [] }].map((value) => toJson(value)),
  toJson(json, 2),
  toJson(`\ufeff${JSON.stringify(json)}`),
  toJson('{"title":"\\u00e9\\ud83d\\ude00","customFields":{"a":"\\n"}}'),
  toJson({ title: 'x', customFields: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, `${at}`])) }),
  toJson({ title: 'x', description: 'x'.repeat(20_000) }),
  toJson(fileOf(PNG.toString('base64'))),
  toJson(fileOf(PNG.toString('base64url'))),
  toJson(fileOf(`data:image/png;base64,${PNG.toString('base64')}`)),
  toJson(fileOf(PNG.toString('base64').replace(/.{76}/g, '$&\r\n'))),
  caseOf('34-custom-fields-empty-list.json', JSON_TYPE),
  caseOf('02-data-uri-chrome-codecs.json', JSON_TYPE),
];

/** Numbers from 0 to 1, by a linear congruential generator. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
}

/** What mutations insert. */
const PIECES = [
  ...[
    '\r\n',
    '\n',
    '\r',
    ' ',
    '\t',
    '"',
    '\\',
    ';',
    ',',
    ':',
    '=',
    '--',
    '\0',
    '\xff',
    '\ufeff',
    '%22',
    '[',
    ']',
    '{',
    '}',
    '+',
  ],
  ...[
    `--${BOUNDARY}`,
    `\r\n--${BOUNDARY}\r\n`,
    `\r\n--${BOUNDARY}--`,
    '\r\n\r\n',
    'Content-Type: text/plain\r\n',
    'null',
    '"title":1',
  ],
  ...[
    'Content-Transfer-Encoding: base64\r\n',
    'Content-Disposition: form-data; name="title"\r\n',
    '; charset=utf-16',
    '\\ud800',
  ],
];

/** Changes a body at one to three positions; most changes are near structure, which is in the first bytes of parts. */
function mutate(bytes: Buffer, random: () => number): Buffer {
  let mutated = bytes;
  const pick = (count: number) => Math.floor(random() * count);
  for (let change = pick(3); change >= 0; change--) {
    const at = pick(random() < 0.5 ? Math.min(mutated.length, 300) + 1 : mutated.length + 1);
    const end = at + pick(random() < 0.5 ? 4 : 60);
    const piece = PIECES[pick(PIECES.length)]!;
    const between = [
      Buffer.alloc(0),
      Buffer.from(piece, piece === '\xff' ? 'latin1' : 'utf8'),
      Buffer.concat([mutated.subarray(at, end), mutated.subarray(at, end)]),
      Buffer.from([pick(256)]),
    ][pick(4)]!;
    const isInsertion = random() < 0.4;
    mutated = Buffer.concat([mutated.subarray(0, at), between, mutated.subarray(isInsertion ? at : end)]);
  }
  return mutated;
}

const EMPTY: Content = { title: null, description: null, priority: null, customFields: {}, files: [] };

/** What an independent parser reads; undefined if it reads nothing, or does not decode what the body declares. */
async function readIndependently({ type, bytes }: Body): Promise<Content | undefined> {
  // undici reads every text as UTF-8.
  if (type === FORM && /charset|transfer-encoding/i.test(bytes.toString('latin1'))) return undefined;
  try {
    if (type === JSON_TYPE) {
      const { files, ...fields } = JSON.parse(bytes.toString().replace(/^\ufeff/, ''));
      const names = (files ?? []).map(({ filename, data }: Record<string, string>) => [filename, sizeOf(data!)]);
      return { ...EMPTY, ...fields, customFields: toFields(fields.customFields), files: names };
    }
    // oxlint-disable-next-line typescript/no-deprecated -- the parser to compare with, not one to serve with
    const form = await new Response(new Uint8Array(bytes), { headers: { 'Content-Type': type } }).formData();
    return await readForm(form);
  } catch {
    return undefined;
  }
}

const sizeOf = (data: string) => Buffer.from(data.slice(data.lastIndexOf(',') + 1), 'base64').length;

const toFields = (sent: unknown) => (Array.isArray(sent) ? {} : ((sent ?? {}) as Record<string, string>));

async function readForm(form: FormData): Promise<Content> {
  const content: Content = { ...EMPTY, customFields: {}, files: [] };
  const fields = content as unknown as Record<string, unknown>;
  for (const [name, value] of form) {
    const [, key] = /^customFields\[(.+)\]$/.exec(name) ?? [];
    if (typeof value !== 'string' && name.startsWith('files')) {
      if (value.name !== '') content.files.push([value.name, value.size]);
      continue;
    }
    const text = (typeof value === 'string' ? value : await value.text()).replaceAll('\r\n', '\n');
    if (key !== undefined) content.customFields[key] = text;
    else if (name === 'customFields') content.customFields = text === '' ? {} : toFields(JSON.parse(text));
    else if (!name.startsWith('files')) fields[name] = text;
  }
  return content;
}

/** Texts as notes store them. */
function normalize({ title, description, priority, customFields, files }: Content): Content {
  const toText = (text: string | null) => (text === '' ? null : text);
  const names = files.map(([name, size]): [string, number] => [name.replace(/^.*[/\\]/, ''), size]);
  return {
    title: toText(title),
    description: toText(description),
    priority: toText(priority),
    customFields: { ...customFields },
    files: names,
  };
}

/** What the fuzz has found. */
export interface Findings {
  /** Responses by status. */
  statuses: Map<number, number>;
  /** Successful responses that were compared. */
  compared: number;
  /** Bodies with a wrong outcome, to repeat them. */
  failures: string[];
}

/** Sends mutations of the bodies as notes, and compares each note with what another parser reads. */
export async function fuzzBodies(api: Api, notes: string, count: number, seed: number): Promise<Findings> {
  const random = createRandom(seed);
  const findings: Findings = { statuses: new Map(), compared: 0, failures: [] };
  for (let sent = 0; sent < count; sent++) {
    const { type, bytes } = BODIES[sent % BODIES.length]!;
    // First the bodies as they are.
    const body = { type, bytes: sent < BODIES.length ? bytes : mutate(bytes, random) };
    const failure = await sendBody(api, notes, body, sent < BODIES.length, findings);
    if (failure) findings.failures.push(`${failure}: ${body.bytes.toString('base64').slice(0, 3_000)}`);
  }
  return findings;
}

/** @returns what is wrong with the response */
async function sendBody(
  api: Api,
  notes: string,
  body: Body,
  isValid: boolean,
  findings: Findings,
): Promise<string | undefined> {
  const headers = { 'Content-Type': body.type };
  const answer = await api.send(notes, { method: 'POST', body: body.bytes, headers });
  findings.statuses.set(answer.status, (findings.statuses.get(answer.status) ?? 0) + 1);
  if (answer.status >= 500) return `status ${answer.status}`;
  if (answer.status !== 201) return isValid ? `status ${answer.status} ${answer.body.message}` : undefined;
  const expected = await readIndependently(body);
  if (!expected) return body.type === JSON_TYPE ? 'accepted what is not JSON' : undefined;
  findings.compared++;
  const stored = answer.body.data as Omit<Content, 'files'> & { files: { filename: string; size: number }[] };
  const files = stored.files.map(({ filename, size }): [string, number] => [filename, size]);
  const [was, wanted] = [normalize({ ...stored, files }), normalize(expected)].map(toComparable);
  return was === wanted ? undefined : `stored ${was}, not ${wanted}`;
}

/** Names lose control characters and get the extension of their content; texts are compared as they are. */
function toComparable({ files, customFields, ...texts }: Content): string {
  const clean = (name: string) =>
    name
      .replace(/[^\w.]/g, '')
      .replace(/\.png$/, '')
      .slice(0, 20);
  const names = files.map(([name, size]) => `${clean(name)} ${size}`);
  return JSON.stringify([texts, Object.entries(customFields).sort(), names]);
}
