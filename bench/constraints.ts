import { Connection, parseReply } from './connection.js';
import { measure, ratios, requireRows, secondsOf, spreadOf } from './measure.js';
import type { Options } from './options.js';
import { COLUMNS, sampleRows } from './sample-rows.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, NONE, ratio, spread } from './table.js';

const AIM = 0.9;
const ROWS = 50_000;

/** Five constraints, which all rows satisfy. */
const CONSTRAINTS: Record<string, object> = {
  name: { maxLength: 100 },
  description: { pattern: '^[[:alpha:]]' },
  manufacturer: { minLength: 2 },
  weight: { minimum: 0 },
  installed_on: { earliest: '1900-01-01' },
};

/** Measures new rows by bulk, into tables with and without constraints, in turn. */
export async function benchConstraints(stage: Stage, { runs }: Options, note: (line: string) => void): Promise<string> {
  note(`bulk: ${integer(ROWS)} rows with and without constraints`);
  const items = Buffer.from(JSON.stringify(sampleRows(0, ROWS)));
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  const write = async (name: string, options: Record<string, object>): Promise<number> => {
    const columns = COLUMNS.map((column) => ({ ...column, options: options[column.key] }));
    const head = `{"assets":[{"name":"${name}","columns":${JSON.stringify(columns)},"items":`;
    return secondsOf(async () => {
      const reply = parseReply(
        await connection.post(stage.bulkPath, Buffer.from(head), items, Buffer.from('}]}')),
        201,
      );
      requireRows((reply as { data: { totals: { created: number } } }).data.totals.created, ROWS);
    });
  };
  const figures = await measure(runs, async (index) => {
    const kinds = index % 2 === 0 ? ['with', 'without'] : ['without', 'with'];
    const rate = { with: 0, without: 0 };
    for (const kind of kinds as (keyof typeof rate)[])
      rate[kind] = ROWS / (await write(`constraints_${kind}_${index}`, kind === 'with' ? CONSTRAINTS : {}));
    return rate;
  });
  connection.close();
  const shares = ratios(figures.with, figures.without);
  const rows = [
    ['rows/s without constraints', spread(figures.without), NONE, NONE],
    ['rows/s with five', spread(figures.with), NONE, NONE],
    ['of those without', spread(shares, ratio), `≥ ${AIM}`, spreadOf(shares).median >= AIM ? 'yes' : 'no'],
  ];
  return [
    '## Constraints of columns',
    '',
    `Requests with ${integer(ROWS)} new rows, into new tables with and without five constraints, in turn.`,
    '',
    markdownTable(['what', 'measured', 'aim', 'met'], rows),
  ].join('\n');
}
