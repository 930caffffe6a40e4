import { Connection, parseReply } from './connection.js';
import { measure, secondsOf } from './measure.js';
import type { Options } from './options.js';
import type { Stage } from './stage.js';
import { integer, markdownTable, milliseconds, spread, verdictAtMost } from './table.js';

const AIM_MS = 300;
const ANALYTICS = '/v1/api/analytics';
const DAY_MS = 24 * 60 * 60 * 1000;

/** Measures milliseconds per response over a workspace with many notes, one request at a time. */
export async function benchAnalytics(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  note(`analytics of ${integer(options.listedNotes)} notes`);
  const notes = await ensureNotes(stage, options.listedNotes);
  const day = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
  const paths: Record<string, string> = {
    'notes, a week by day': `/notes?from=${day(-37)}&to=${day(-30)}`,
    'notes, 30 days': '/notes',
    'notes, a year by day': `/notes?from=${day(-364)}&to=${day(1)}&timezone=Europe/Vienna`,
    'notes, ten years by month': `/notes?from=${day(-3_650)}&to=${day(1)}&granularity=month`,
    overview: '/overview',
  };
  const connection = new Connection(stage.service.baseUrl, stage.authorization);
  const figures = await measure(options.runs, async (index) => {
    note(`analytics: run ${index} of ${options.runs}`);
    const times: Record<string, number> = {};
    for (const [name, path] of Object.entries(paths)) {
      const send = async () => parseReply(await connection.get(ANALYTICS + path), 200);
      times[name] = (await secondsOf(send)) * 1000;
    }
    return times;
  });
  connection.close();
  const rows = Object.entries(figures).map(([name, times]) => [
    name,
    spread(times, milliseconds),
    ...verdictAtMost(times, AIM_MS, (aim) => `${aim} ms`),
  ]);
  return [
    '## Analytics',
    '',
    `${integer(notes)} notes in the workspace, one connection, one request at a time.`,
    '',
    markdownTable(['response', 'ms', 'aim', 'met'], rows),
  ].join('\n');
}

/** Adds notes until there are at least `atLeast`. @returns their number. */
async function ensureNotes(stage: Stage, atLeast: number): Promise<number> {
  const count = async () => {
    const sql = 'SELECT count(*)::integer AS notes FROM notes WHERE workspace_id = $1';
    return (await stage.database.query<{ notes: number }>(sql, [stage.workspaceId])).rows[0]!.notes;
  };
  const missing = atLeast - (await count());
  if (missing > 0) await stage.addNotes(missing);
  return count();
}
