import { setTimeout as delay } from 'node:timers/promises';
import { Api } from '../support/api.js';
import type { Credentials } from '../support/credentials.js';
import { lines, NDJSON } from '../support/imports.js';
import { createRandom, createWords, mistype } from '../../bench/sample-words.js';
import { TestDatabase, TestService } from '../support/service.js';

/** With SEARCH_ROWS=1000000 and SEARCH_NOTES=100000 these are the volumes of docs/reference/search.md. */
const ROWS = Number(process.env['SEARCH_ROWS'] ?? 20_000);
const NOTES = Number(process.env['SEARCH_NOTES'] ?? 2_000);
const SEARCHES = 400;
const WORDS = 20_000;
/** Rows of an import. */
const CHUNK = 100_000;

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
  const importRows = async (table: string, from: number, to: number) => {
    const items = Array.from({ length: to - from }, (_, at) => {
      names[from + at] = pick(3).join(' ');
      texts[from + at] = pick(8).join(' ');
      return { nr: `R${from + at}`, name: names[from + at], text: texts[from + at], plant: `P${at % 7}` };
    });
    const columns = ['Nr', 'Name', 'Text', 'Plant'].map((name) => ({ name, type: 'text' }));
    await api.post(`${workspace}/cw/assets/bulk`, { assets: [{ name: table, columns, items: [] }] });
    const path = `${workspace}/cw/assets/${table}/items/import`;
    const answer = await api.send(path, { method: 'POST', body: lines(items), headers: { 'Content-Type': NDJSON } });
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
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

  it('returns the first hits of frequent words and beginnings', async () => {
    const durations: number[] = [];
    for (const q of ['a', 's', 'st', 'p1', 'p1 p2', 'found', words[0]!.slice(0, 2), words[1]!.slice(0, 3)])
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
