import { Connection, parseReply } from './connection.js';
import { CopyFloor, copyContent } from './floors/copy.js';
import { inTurn, measure, ratios, requireRows, secondsOf } from './measure.js';
import type { Options } from './options.js';
import type { MeasuredProcess } from './processes.js';
import { countChanged, sampleRows } from './sample-rows.js';
import { FLOORS, type Stage } from './stage.js';
import { integer, markdownTable, megabytes, NONE, ratio, spread, verdict } from './table.js';

const STATES = ['new', 'unchanged', '10 % changed'] as const;
type State = (typeof STATES)[number];
type Contender = 'service' | 'bareNest';

/** Aims: new rows compared with the bare controller, unchanged rows compared with new rows. */
const NEW_AIM = { batchSize: 5_000, ofBareNest: 0.8 };
const UNCHANGED_AIM = { ofNew: 1.5 };

/** Serialized rows of one batch. */
interface Batch {
  items: Record<'first' | 'changed', Buffer>;
  copy: Buffer;
}

/** Rows per second of each contender in each state. */
type Figures = Record<`${Contender} ${State}` | 'copy', number[]>;

/** Rows, batch size and connections of one measurement. Each connection writes its own table. */
class Load {
  readonly batchesPerTable: number;
  readonly rowsPerTable: number;

  constructor(
    readonly batchSize: number,
    readonly connections: number,
    bulkRows: number,
  ) {
    this.batchesPerTable = Math.max(2, Math.ceil(bulkRows / batchSize / connections));
    this.rowsPerTable = this.batchesPerTable * batchSize;
  }

  /** Every table receives the same batches. */
  createBatches(): Batch[] {
    return Array.from({ length: this.batchesPerTable }, (_, position) => {
      const first = sampleRows(position * this.batchSize, this.batchSize);
      const changed = sampleRows(position * this.batchSize, this.batchSize, 'changed');
      return {
        items: { first: Buffer.from(JSON.stringify(first)), changed: Buffer.from(JSON.stringify(changed)) },
        copy: copyContent(first),
      };
    });
  }

  countWrittenRows(state: State): number {
    if (state === 'new') return this.batchSize;
    return state === 'unchanged' ? 0 : countChanged(this.batchSize);
  }
}

/** Measures rows per second of bulk upsert, compared with a bare controller and with COPY. */
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
    'Rows of 8 fields (key, four texts, number, date, checkbox), in the order of their key. COPY always loads new rows into an empty table.',
    '',
    markdownTable(headers, rows),
    '',
    `Peak memory of the process: service ${megabytes(stage.service.peakMemory())}, bare Nest ${megabytes(bareNest.peakMemory())}.`,
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

async function measureLoad(stage: Stage, bareNest: MeasuredProcess, load: Load, runs: number): Promise<Figures> {
  const batches = load.createBatches();
  const lanes = await Promise.all(Array.from({ length: load.connections }, () => Lane.open(stage, bareNest)));

  /** Rows per second if all lanes send their batches in parallel, each one batch after another. */
  const rate = async (send: (lane: Lane, batch: Batch) => Promise<void>): Promise<number> => {
    const sendAll = async (lane: Lane) => {
      for (const batch of batches) await send(lane, batch);
    };
    return (load.connections * load.rowsPerTable) / (await secondsOf(() => Promise.all(lanes.map(sendAll))));
  };

  const figures = await measure(runs, async (index) => {
    const tables = await createTables(stage, `r_${load.batchSize}_${load.connections}_${index}`, lanes);
    const round: Partial<Record<keyof Figures, number>> = {};
    for (const state of STATES) {
      const edition = state === '10 % changed' ? 'changed' : 'first';
      const written = load.countWrittenRows(state);
      const contenders: Record<string, () => Promise<number>> = {
        [`service ${state}`]: () => rate((lane, { items }) => lane.sendToService(items[edition], written)),
        [`bareNest ${state}`]: () => rate((lane, { items }) => lane.sendToBareNest(items[edition], written)),
      };
      if (state === 'new') contenders['copy'] = () => rate((lane, { copy }) => lane.sendToCopy(copy));
      Object.assign(round, await inTurn(index, contenders));
    }
    await dropTables(stage, tables);
    return round as Record<keyof Figures, number>;
  });

  await Promise.all(lanes.map((lane) => lane.close()));
  return figures;
}

/** One connection to each contender, and the name of the table that it writes in all of them. */
class Lane {
  table: string;
  private readonly service: Connection;
  private readonly bareNest: Connection;

  private constructor(
    private readonly stage: Stage,
    bareNest: MeasuredProcess,
    private readonly copy: CopyFloor,
  ) {
    this.service = new Connection(stage.service.baseUrl, stage.authorization);
    this.bareNest = new Connection(bareNest.baseUrl);
  }

  static async open(stage: Stage, bareNest: MeasuredProcess): Promise<Lane> {
    return new Lane(stage, bareNest, await new CopyFloor(stage.databaseUrl).open());
  }

  async sendToService(items: Buffer, written: number): Promise<void> {
    const response = await this.service.post(this.stage.bulkPath, ...this.buildBody(items));
    const { data } = parseReply(response, 200) as { data: { totals: { created: number; updated: number } } };
    requireRows(data.totals.created + data.totals.updated, written);
  }

  async sendToBareNest(items: Buffer, written: number): Promise<void> {
    const { rows } = parseReply(await this.bareNest.post('/bulk', ...this.buildBody(items)), 201) as { rows: number };
    requireRows(rows, written);
  }

  sendToCopy(content: Buffer): Promise<void> {
    return this.copy.copy(`copied.${this.table}`, content);
  }

  close(): Promise<void> {
    this.service.close();
    this.bareNest.close();
    return this.copy.close();
  }

  private buildBody(items: Buffer): Buffer[] {
    return [Buffer.from(`{"assets":[{"name":"${this.table}","items":`), items, Buffer.from('}]}')];
  }
}

interface BenchTable {
  name: string;
  /** The service's physical table. */
  physical: string;
}

/** Creates an empty table of the service for each lane, and an equal one for each floor: same columns, same indexes. */
async function createTables(stage: Stage, prefix: string, lanes: readonly Lane[]): Promise<BenchTable[]> {
  const tables: BenchTable[] = [];
  for (const [position, lane] of lanes.entries()) {
    const name = `${prefix}_${position}`;
    const { physical } = await stage.createTable(name);
    for (const floor of FLOORS) {
      await stage.database.query(`CREATE TABLE ${floor}.${name} (LIKE ${physical} INCLUDING ALL)`);
    }
    lane.table = name;
    tables.push({ name, physical });
  }
  // Writes of earlier rounds must not slow this round.
  await stage.database.query('CHECKPOINT');
  return tables;
}

/** Frees the disk. */
async function dropTables(stage: Stage, tables: readonly BenchTable[]): Promise<void> {
  for (const { name, physical } of tables) {
    await stage.database.query(`TRUNCATE ${physical}`);
    for (const floor of FLOORS) await stage.database.query(`DROP TABLE ${floor}.${name}`);
  }
}
