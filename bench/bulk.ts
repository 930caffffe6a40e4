import { Connection, parsed } from './connection.js';
import { CopyFloor, copyContent } from './floors/copy.js';
import { inTurn, measure, ratios, secondsOf } from './measure.js';
import type { Options } from './options.js';
import type { Measured } from './processes.js';
import { changedOf, sampleRows } from './sample-rows.js';
import { FLOORS, type Stage } from './stage.js';
import { integer, markdownTable, megabytes, NONE, ratio, spread, verdict } from './table.js';

const STATES = ['new', 'unchanged', '10 % changed'] as const;
type State = (typeof STATES)[number];
type Contender = 'service' | 'bareNest';

/** The aims of the specification's issue on speed: new rows against the bare controller, unchanged ones against new ones. */
const NEW_AIM = { batchSize: 5_000, ofBareNest: 0.8 };
const UNCHANGED_AIM = { ofNew: 1.5 };

/** Rows of one batch, ready to be sent. */
interface Batch {
  items: Record<'first' | 'changed', Buffer>;
  copy: Buffer;
}

/** Rows a second; for each state, contenders by name. */
type Figures = Record<`${Contender} ${State}` | 'copy', number[]>;

/** How many rows go in how large batches over how many connections, each of which writes a table of its own. */
class Load {
  readonly batchesEach: number;
  readonly rowsEach: number;

  constructor(
    readonly batchSize: number,
    readonly connections: number,
    bulkRows: number,
  ) {
    this.batchesEach = Math.max(2, Math.ceil(bulkRows / batchSize / connections));
    this.rowsEach = this.batchesEach * batchSize;
  }

  /** The same for every table. */
  batches(): Batch[] {
    return Array.from({ length: this.batchesEach }, (_, position) => {
      const first = sampleRows(position * this.batchSize, this.batchSize);
      const changed = sampleRows(position * this.batchSize, this.batchSize, 'changed');
      return {
        items: { first: Buffer.from(JSON.stringify(first)), changed: Buffer.from(JSON.stringify(changed)) },
        copy: copyContent(first),
      };
    });
  }

  rowsWritten(state: State): number {
    if (state === 'new') return this.batchSize;
    return state === 'unchanged' ? 0 : changedOf(this.batchSize);
  }
}

/** Rows a second of bulk upsert, against a bare controller and against COPY. */
export async function benchBulk(stage: Stage, options: Options, note: (line: string) => void): Promise<string> {
  const bareNest = await stage.startFloor('bare-nest');
  const rows: string[][] = [];
  for (const connections of options.connections) {
    for (const batchSize of options.batchSizes) {
      const load = new Load(batchSize, connections, options.bulkRows);
      note(`bulk: batches of ${integer(batchSize)}, connections: ${connections}`);
      rows.push(...describe(load, await measureLoad(stage, bareNest, load, options.runs)));
    }
  }
  const headers = [
    'rows',
    'batch',
    'conn.',
    'service rows/s',
    'bare Nest rows/s',
    'of bare Nest',
    'of own new',
    'COPY rows/s',
    'of COPY',
    'aim',
    'met',
  ];
  return [
    '## Bulk upsert over HTTP',
    '',
    'Rows of 8 fields (key, four texts, number, date, checkbox), in order of their key. COPY always loads new rows into an empty table.',
    '',
    markdownTable(headers, rows),
    '',
    `Peak memory of the process meanwhile: service ${megabytes(stage.service.peakMemory())}, bare Nest ${megabytes(bareNest.peakMemory())}.`,
  ].join('\n');
}

function describe({ batchSize, connections }: Load, figures: Figures): string[][] {
  const fresh = figures['service new'];
  return STATES.map((state) => {
    const service = figures[`service ${state}`];
    const ofBareNest = ratios(service, figures[`bareNest ${state}`]);
    const ofNew = ratios(service, fresh);
    const [aim, met] =
      state === 'new'
        ? verdict(ofBareNest, batchSize === NEW_AIM.batchSize ? NEW_AIM.ofBareNest : undefined)
        : verdict(ofNew, state === 'unchanged' ? UNCHANGED_AIM.ofNew : undefined);
    return [
      state,
      integer(batchSize),
      String(connections),
      spread(service),
      spread(figures[`bareNest ${state}`]),
      spread(ofBareNest, ratio),
      state === 'new' ? NONE : spread(ofNew, ratio),
      spread(figures.copy),
      spread(ratios(service, figures.copy), ratio),
      aim === NONE ? aim : `${aim} of ${state === 'new' ? 'bare Nest' : 'own new'}`,
      met,
    ];
  });
}

async function measureLoad(stage: Stage, bareNest: Measured, load: Load, runs: number): Promise<Figures> {
  const batches = load.batches();
  const lanes = await Promise.all(Array.from({ length: load.connections }, () => Lane.open(stage, bareNest)));

  /** Rows a second when every lane sends its batches one after the other, all lanes at once. */
  const rate = async (send: (lane: Lane, batch: Batch) => Promise<void>): Promise<number> => {
    const sendAll = async (lane: Lane) => {
      for (const batch of batches) await send(lane, batch);
    };
    return (load.connections * load.rowsEach) / (await secondsOf(() => Promise.all(lanes.map(sendAll))));
  };

  const figures = await measure(runs, async (index) => {
    const tables = await freshTables(stage, `r_${load.batchSize}_${load.connections}_${index}`, lanes);
    const round: Partial<Record<keyof Figures, number>> = {};
    for (const state of STATES) {
      const edition = state === '10 % changed' ? 'changed' : 'first';
      const written = load.rowsWritten(state);
      const contenders: Record<string, () => Promise<number>> = {
        [`service ${state}`]: () => rate((lane, { items }) => lane.toService(items[edition], written)),
        [`bareNest ${state}`]: () => rate((lane, { items }) => lane.toBareNest(items[edition], written)),
        ...(state === 'new' && { copy: () => rate((lane, { copy }) => lane.toCopy(copy)) }),
      };
      Object.assign(round, await inTurn(index, contenders));
    }
    await dropTables(stage, tables);
    return round as Record<keyof Figures, number>;
  });

  await Promise.all(lanes.map((lane) => lane.close()));
  return figures;
}

/** One connection to each contender, and the table that it writes: of the same name with all of them. */
class Lane {
  table: string;
  private readonly service: Connection;
  private readonly bareNest: Connection;

  private constructor(
    private readonly stage: Stage,
    bareNest: Measured,
    private readonly copy: CopyFloor,
  ) {
    this.service = new Connection(stage.service.baseUrl, stage.authorization);
    this.bareNest = new Connection(bareNest.baseUrl);
  }

  static async open(stage: Stage, bareNest: Measured): Promise<Lane> {
    return new Lane(stage, bareNest, await new CopyFloor(stage.databaseUrl).open());
  }

  async toService(items: Buffer, written: number): Promise<void> {
    const answer = await this.service.post(this.stage.bulkPath, ...this.bodyOf(items));
    const { data } = parsed(answer, 200) as { data: { totals: { created: number; updated: number } } };
    requireRows(data.totals.created + data.totals.updated, written);
  }

  async toBareNest(items: Buffer, written: number): Promise<void> {
    const { rows } = parsed(await this.bareNest.post('/bulk', ...this.bodyOf(items)), 201) as { rows: number };
    requireRows(rows, written);
  }

  toCopy(content: Buffer): Promise<void> {
    return this.copy.copy(`copied.${this.table}`, content);
  }

  close(): Promise<void> {
    this.service.close();
    this.bareNest.close();
    return this.copy.close();
  }

  private bodyOf(items: Buffer): Buffer[] {
    return [Buffer.from(`{"assets":[{"name":"${this.table}","items":`), items, Buffer.from('}]}')];
  }
}

interface FreshTable {
  name: string;
  /** The service's physical table. */
  physical: string;
}

/** An empty table of the service for each lane, and its equal among every floor's: same columns, same indexes. */
async function freshTables(stage: Stage, prefix: string, lanes: readonly Lane[]): Promise<FreshTable[]> {
  const tables: FreshTable[] = [];
  for (const [position, lane] of lanes.entries()) {
    const name = `${prefix}_${position}`;
    const { physical } = await stage.createTable(name);
    for (const floor of FLOORS) {
      await stage.database.query(`CREATE TABLE ${floor}.${name} (LIKE ${physical} INCLUDING ALL)`);
    }
    lane.table = name;
    tables.push({ name, physical });
  }
  // What earlier rounds left to be written to the disk is not this round's.
  await stage.database.query('CHECKPOINT');
  return tables;
}

/** The disk need not hold what has been measured. */
async function dropTables(stage: Stage, tables: readonly FreshTable[]): Promise<void> {
  for (const { name, physical } of tables) {
    await stage.database.query(`TRUNCATE ${physical}`);
    for (const floor of FLOORS) await stage.database.query(`DROP TABLE ${floor}.${name}`);
  }
}

/** A benchmark that did something else than it says is worth nothing. */
function requireRows(written: number, expected: number): void {
  if (written !== expected) throw new Error(`${expected} rows were to be written, and ${written} were.`);
}
