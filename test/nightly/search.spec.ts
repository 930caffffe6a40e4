import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { lines, NDJSON } from '../support/imports.js';
import { createRandom, createWords, mistype } from '../support/sample-words.js';
import { TestDatabase, TestService } from '../support/service.js';

/** With SEARCH_ROWS=1000000 and SEARCH_NOTES=100000 these are the volumes of docs/reference/search.md. */
const ROWS = Number(process.env['SEARCH_ROWS'] ?? 20_000);
const NOTES = Number(process.env['SEARCH_NOTES'] ?? 2_000);
const SEARCHES = 400;
const WORDS = 20_000;
/** Rows of an import. */
const CHUNK = 100_000;
/** Rows with numbers of SAP, codes, compounds, and texts in Chinese, Japanese and Thai. */
const CODED_ROWS = Math.max(2_000, ROWS / 20);
/** Words of the column `Maker`, and the share of rows that have them. */
const FREQUENT_WORDS: readonly [string, number][] = [
  ['siemens', 1],
  ['standard', 0.8],
  ['steel', 0.6],
  ['flange', 0.5],
  ['motor', 0.4],
  ['sensor', 0.3],
  ['welded', 0.2],
  ['spare', 0.15],
  ['export', 0.1],
  ['special', 0.05],
];
/** Policies: the column of their filter, its value, and which rows have it. The last rows are not in any sample. */
const PERMITTED_PARTS: readonly [column: string, value: string, isPermitted: (row: number) => boolean][] = [
  ['site', 'Tiny', (row) => toSite(row) === 'Tiny'],
  ['site', 'Small', (row) => toSite(row) === 'Small'],
  ['site', 'Medium', (row) => toSite(row) === 'Medium'],
  ['site', 'Large', (row) => toSite(row) === 'Large'],
  ['area', 'A7', (row) => toArea(row) === 'A7'],
  ['area', 'A700', (row) => toArea(row) === 'A700'],
  ['line', 'L3', (row) => row % 20 === 3],
];

function toSite(row: number): string {
  if (row >= ROWS - 20) return 'Tiny';
  if (row >= ROWS - 220) return 'Small';
  return row >= ROWS * 0.95 - 220 ? 'Medium' : 'Large';
}

/** Scattered over all rows, one of a thousand. */
function toArea(row: number): string {
  return `A${(row * 7_919) % 1_000}`;
}

/** Letters of scripts without blanks, and the length of a run. */
const SCRIPTS = {
  Chinese: Array.from({ length: 500 }, (_, at) => String.fromCodePoint(0x4e00 + 17 * at)),
  Japanese: [
    ...'アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン水圧弁器配管',
  ],
  Thai: [...'กขคงจชซดตถทธนบปผพฟมยรลวสหอะาเแโไ'],
} as const;

interface Hit {
  id: string;
  title: string;
}
interface Group {
  kind: string;
  items: Hit[];
}

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;
const report = (line: string) => process.stderr.write(`search: ${line}\n`);

describe('the search of a large workspace', () => {
  const random = createRandom(20_261_126);
  const words = createWords(WORDS, random);
  const pick = (count: number) => Array.from({ length: count }, () => words[Math.floor(random() * words.length)]!);
  const names: string[] = [];
  const texts: string[] = [];
  const makers: string[][] = [];
  const coded: Record<string, string>[] = [];
  let database: TestDatabase;
  let service: TestService;
  let me: Credentials;
  let api: Api;
  let workspace: string;

  const search = async (q: string, limit = 10) => {
    const query = new URLSearchParams({ q, limit: String(limit) }).toString();
    const { status, body } = await api.get(`${workspace}/search?${query}`);
    expect([status, body.error]).toEqual([200, undefined]);
    return body.data as { groups: Group[]; isCurrent: boolean };
  };
  const importItems = async (table: string, columnNames: readonly string[], items: object[]) => {
    const columns = columnNames.map((name) => ({ name, type: 'text' }));
    await api.post(`${workspace}/cw/assets/bulk`, { assets: [{ name: table, columns, items: [] }] });
    const path = `${workspace}/cw/assets/${table}/items/import`;
    const answer = await api.send(path, { method: 'POST', body: lines(items), headers: { 'Content-Type': NDJSON } });
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  };
  const importRows = (table: string, from: number, to: number) => {
    const items = Array.from({ length: to - from }, (_, at) => {
      const row = from + at;
      names[row] = pick(3).join(' ');
      texts[row] = pick(8).join(' ');
      makers[row] = FREQUENT_WORDS.flatMap(([word, share]) => (random() < share ? [word] : []));
      return {
        nr: `R${row}`,
        name: names[row],
        text: texts[row],
        plant: `P${at % 7}`,
        maker: makers[row].join(' '),
        site: toSite(row),
        area: toArea(row),
        line: `L${row % 20}`,
      };
    });
    return importItems(table, ['Nr', 'Name', 'Text', 'Plant', 'Maker', 'Site', 'Area', 'Line'], items);
  };
  const importCodedRows = () => {
    for (let row = 0; row < CODED_ROWS; row++) {
      const run = (letters: readonly string[]) =>
        Array.from({ length: 12 }, () => letters[Math.floor(random() * letters.length)]!).join('');
      const [first, last, other] = pick(3) as [string, string, string];
      coded[row] = {
        nr: String(10_000_000 + 7 * row).padStart(18, '0'),
        tag: `AT${10 + (row % 90)}-UTL${String.fromCharCode(65 + (row % 26))}-${String(row).padStart(5, '0')}`,
        valve: `V-${1_000 + row}${String.fromCharCode(65 + (row % 26))}`,
        size: `M${1 + (row % 100)} x ${10 + Math.floor(row / 100)}`,
        pipe: `DN ${row + 10}`,
        // A row has a compound, or the second part of one.
        compound: first + last,
        part: last,
        other,
        chinese: run(SCRIPTS.Chinese),
        japanese: run(SCRIPTS.Japanese),
        thai: run(SCRIPTS.Thai),
      };
    }
    const items = coded.map(({ part, other, ...each }, row) => ({
      ...each,
      compound: `${row % 2 === 0 ? each.compound : part} ${other}`,
      // Half of the codes are stored without separators.
      valve: row % 2 === 0 ? each.valve : each.valve!.replace('-', ''),
      size: row % 2 === 0 ? each.size : each.size!.replaceAll(' ', ''),
      pipe: row % 2 === 0 ? each.pipe : each.pipe!.replace(' ', ''),
    }));
    const columns = ['Nr', 'Tag', 'Valve', 'Size', 'Pipe', 'Compound', 'Chinese', 'Japanese', 'Thai'];
    return importItems('Coded', columns, items);
  };

  const containsAll = (row: number, searched: readonly string[]) => {
    const own = `${names[row]} ${texts[row]}`.split(' ');
    return searched.every((word) => own.includes(word));
  };

  beforeAll(async () => {
    database = await TestDatabase.create();
    service = await TestService.start(database, { RATE_LIMIT: '1000000' });
    me = await service.provision();
    api = new Api(service.baseUrl).withKey(me.apiKey);
    workspace = `/v2/api/workspaces/${me.workspaceId}`;
    for (let from = 0; from < ROWS; from += CHUNK) await importRows(`T${from}`, from, Math.min(ROWS, from + CHUNK));
    await importCodedRows();
    const titles = Array.from({ length: NOTES }, () => pick(3).join(' '));
    await database.query(
      `INSERT INTO notes (workspace_id, id, number, title, description, status, source)
       SELECT $1, gen_random_uuid(), n, title, 'Found ' || title, 'open', 'api'
         FROM unnest($2::text[]) WITH ORDINALITY AS t (title, n)`,
      [me.workspaceId, titles],
    );
    const started = performance.now();
    while (!(await search('anything')).isCurrent) await delay(100);
    const seconds = (performance.now() - started) / 1_000;
    report(`${ROWS} rows and ${NOTES} notes indexed in ${seconds.toFixed(1)} s`);
    await database.query('VACUUM ANALYZE search_entries, search_words');
    const [size] = await database.query<{ size: string }>(
      `SELECT string_agg(relname || ' ' || pg_size_pretty(pg_total_relation_size(oid)), ', ') AS size
         FROM pg_class WHERE relname IN ('search_entries', 'search_words')`,
    );
    report(size!.size);
  }, 3_600_000);

  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  it('finds rows by two words with one typing error each: recall 0.95', async () => {
    let [found, hits, relevant] = [0, 0, 0];
    const durations: number[] = [];
    for (let count = 0; count < SEARCHES; count++) {
      const row = Math.floor(random() * ROWS);
      const searched = names[row]!.split(' ').slice(0, 2);
      const typed = searched.map((word) => mistype(word, random));
      const started = performance.now();
      const { groups } = await search(typed.join(' '));
      durations.push(performance.now() - started);
      const rows = groups.find(({ kind }) => kind === 'rows')!.items;
      if (rows.some(({ id }) => id === `R${row}`)) found++;
      hits += rows.length;
      relevant += rows.filter(({ id }) => containsAll(Number(id.slice(1)), searched)).length;
    }
    report(`typing errors: recall ${percent(found, SEARCHES)}, precision ${percent(relevant, hits)} of ${hits} hits`);
    reportDurations('two mistyped words', durations);
    expect(found / SEARCHES).toBeGreaterThanOrEqual(0.95);
    expect(relevant / hits).toBeGreaterThanOrEqual(0.8);
  }, 600_000);

  it('finds rows by two words, their beginnings, and keys', async () => {
    const kinds: Record<string, (row: number) => string> = {
      'two words': (row) => names[row]!.split(' ').slice(0, 2).join(' '),
      beginnings: (row) =>
        names[row]!.split(' ')
          .map((word) => word.slice(0, 5))
          .join(' '),
      'a key': (row) => `r${row}`,
    };
    for (const [kind, toQuery] of Object.entries(kinds)) {
      const durations: number[] = [];
      let found = 0;
      for (let count = 0; count < SEARCHES / 4; count++) {
        const row = Math.floor(random() * ROWS);
        const started = performance.now();
        const { groups } = await search(toQuery(row));
        durations.push(performance.now() - started);
        if (groups.find(({ kind: each }) => each === 'rows')!.items.some(({ id }) => id === `R${row}`)) found++;
      }
      report(`${kind}: recall ${percent(found, SEARCHES / 4)}`);
      reportDurations(kind, durations);
      expect(found / (SEARCHES / 4)).toBeGreaterThanOrEqual(0.95);
    }
  }, 600_000);

  const slice = (text: string, length: number) => {
    const letters = [...text];
    const start = Math.floor(random() * (letters.length - length + 1));
    return letters.slice(start, start + length).join('');
  };
  it.each<[string, (row: Record<string, string>, at: number) => string]>([
    ['a number without its zeros', ({ nr }) => String(Number(nr))],
    ['the last digits of a number', ({ nr }) => nr!.slice(-String(7 * CODED_ROWS).length - 1)],
    ['a tag without separators', ({ tag }) => tag!.replaceAll('-', '')],
    ['a tag with other separators', ({ tag }) => tag!.replaceAll('-', ['.', ' ', '/', '_'][Math.floor(random() * 4)]!)],
    ['the end of a tag without separators', ({ tag }) => tag!.replaceAll('-', '').slice(4)],
    ['a code with other separators', ({ valve }, at) => (at % 2 === 0 ? valve!.replace('-', '') : valve!)],
    ['a size with other separators', ({ size }, at) => (at % 2 === 0 ? size!.replaceAll(' ', '') : size!)],
    ['a width with other separators', ({ pipe }, at) => (at % 2 === 0 ? pipe!.replaceAll(' ', '') : pipe!)],
    ['a part of a compound', ({ part, other }, at) => (at % 2 === 0 ? `${part} ${other}` : '')],
    ['a compound of a part', ({ compound, other }, at) => (at % 2 === 0 ? '' : `${compound} ${other}`)],
    ['a part of a Chinese run', ({ chinese }) => slice(chinese!, 3)],
    ['a part of a Japanese run', ({ japanese }) => slice(japanese!, 5)],
    ['a part of a Thai run', ({ thai }) => slice(thai!, 5)],
  ])(
    'finds rows by %s: recall 0.95',
    async (kind, toQuery) => {
      let [found, count] = [0, 0];
      const durations: number[] = [];
      while (count < SEARCHES / 4) {
        const at = Math.floor(random() * CODED_ROWS);
        const q = toQuery(coded[at]!, at);
        if (q === '') continue;
        count++;
        const started = performance.now();
        const { groups } = await search(q);
        durations.push(performance.now() - started);
        if (groups.find(({ kind: each }) => each === 'rows')!.items.some(({ id }) => id === coded[at]!['nr'])) found++;
      }
      report(`${kind}: recall ${percent(found, count)}`);
      reportDurations(kind, durations);
      expect(found / count).toBeGreaterThanOrEqual(0.95);
    },
    600_000,
  );

  it('finds the rows that a policy permits by frequent words: recall 0.95', async () => {
    const owner = await new Api(service.baseUrl).signIn(me);
    let [found, count] = [0, 0];
    const durations: number[] = [];
    for (const [column, value, isPermitted] of PERMITTED_PARTS) {
      const tables = [{ entity: 'assets', table: '*', filter: { [column]: value } }];
      const body = { name: `${column} ${value}`, scopes: ['read:workspaces'], tables };
      const policy = await owner.post(`${workspace}/access-policies`, body);
      expect([policy.status, policy.body.details]).toEqual([201, undefined]);
      const key = await owner.post(`${workspace}/api-keys`, { name: value, policyId: policy.body.data.id });
      const caller = new Api(service.baseUrl).withKey(key.body.data.apiKey as string);
      const own: number[] = [];
      for (const [word] of FREQUENT_WORDS) {
        const expected = makers.filter((each, row) => isPermitted(row) && each.includes(word)).length;
        if (expected === 0) continue;
        count++;
        const started = performance.now();
        const answer = await caller.get(`${workspace}/search?q=${word}`);
        own.push(performance.now() - started);
        expect([answer.status, answer.body.error]).toEqual([200, undefined]);
        const { items } = (answer.body.data.groups as Group[]).find((group) => group.kind === 'rows')!;
        expect(items.every(({ id }) => isPermitted(Number(id.slice(1))))).toBe(true);
        if (items.length === Math.min(10, expected)) found++;
      }
      reportDurations(`rows of ${column} ${value}`, own);
      durations.push(...own);
    }
    report(`frequent words of permitted rows: recall ${percent(found, count)} (${found} of ${count})`);
    reportDurations('frequent words of permitted rows', durations);
    expect(found / count).toBeGreaterThanOrEqual(0.95);
  }, 600_000);

  it('returns the first hits of frequent words and beginnings', async () => {
    const durations: number[] = [];
    for (const q of ['a', 's', 'st', 'p1', 'p1 p2', 'found', words[0]!.slice(0, 2), words[1]!.slice(0, 3), words[2]!])
      for (let count = 0; count < 5; count++) {
        const started = performance.now();
        await search(q);
        durations.push(performance.now() - started);
        if (count === 0) report(`"${q}": ${durations.at(-1)!.toFixed(0)} ms`);
      }
    reportDurations('frequent words', durations);
  }, 600_000);

  function reportDurations(what: string, durations: readonly number[]): void {
    const sorted = durations.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!.toFixed(1);
    report(`${what}: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${at(1)} ms`);
  }
});
