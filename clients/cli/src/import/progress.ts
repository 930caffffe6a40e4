import { basename } from 'node:path';
import type { ImportRecord } from '@atrium/client';
import type { SingleBar } from 'cli-progress';
import { formatForTerminal } from '../../../../packages/tabular/src/terminal-text.js';
import type { SourceFile } from '../files/source-file.js';
import type { Output } from '../output.js';

const INTERVAL_MS = 200;
/** The service updates the record of an import once per second. */
const RECORD_INTERVAL_MS = 1_000;
const MAX_NAME = 24;

const FORMATS = {
  sending: '{name} {bar} {percentage} % | {rate} MB/s | {eta_formatted} left',
  reading: '{name} {bar} {percentage} % | {rate} rows/s validated | {eta_formatted} left',
  // The number of rows of a file that was not read before is not known.
  counting: '{name} | {rate} rows/s validated | {duration_formatted}',
  writing: '{name} | {rate} rows are being stored | {duration_formatted}',
};
type Phase = keyof typeof FORMATS;

/** Shows on a terminal how much of a file was sent, and then what the service does with it. */
export class Progress {
  private bar: SingleBar | undefined;
  private phase: Phase | undefined;
  private phaseStartedAt = 0;
  private value = 0;
  private timer: NodeJS.Timeout | undefined;
  private askedAt = 0;

  private constructor(
    private readonly source: SourceFile,
    private readonly readRecord: () => Promise<ImportRecord | undefined>,
    private readonly createBar: (format: string) => SingleBar,
  ) {}

  /** @param readRecord the record of the import, if its rows are sent in one request */
  static async start(
    output: Output,
    source: SourceFile,
    readRecord: () => Promise<ImportRecord | undefined>,
  ): Promise<Progress> {
    const { default: cliProgress } = await import('cli-progress');
    const look = { clearOnComplete: true, hideCursor: true, barsize: 20, etaBuffer: 50, stream: output.io.stderr };
    const { shades_classic: preset } = cliProgress.Presets;
    const createBar = (format: string): SingleBar => new cliProgress.SingleBar({ ...look, format }, preset);
    const progress = new Progress(source, readRecord, createBar);
    if (output.isInteractive) progress.timer = setInterval(() => void progress.update(), INTERVAL_MS);
    return progress;
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
    this.bar?.stop();
  }

  private async update(): Promise<void> {
    const { size, bytesRead, knownRows } = this.source;
    if (bytesRead < size || this.phase === undefined) {
      this.show('sending', bytesRead, size);
      return;
    }
    if (Date.now() - this.askedAt < RECORD_INTERVAL_MS) return;
    this.askedAt = Date.now();
    const record = await this.readRecord().catch(() => undefined);
    if (!record || !this.timer) return;
    const { status, rowsRead: value } = record;
    const total = Math.max(knownRows, value);
    if (status === 'reading') this.show(knownRows > 0 ? 'reading' : 'counting', value, total);
    if (status === 'writing') this.show('writing', value, value);
  }

  private show(phase: Phase, value: number, total: number): void {
    // A file is read again after the search for duplicates, for example.
    if (this.phase !== phase || value < this.value) {
      this.bar?.stop();
      this.bar = this.createBar(FORMATS[phase]);
      this.phase = phase;
      this.phaseStartedAt = Date.now() - INTERVAL_MS;
      this.bar.start(total, 0, { name: shorten(formatForTerminal(basename(this.source.name))), rate: '0' });
    }
    this.value = value;
    // The remaining time of nothing is infinite.
    if (value === 0) return;
    const seconds = Math.max(0.001, (Date.now() - this.phaseStartedAt) / 1000);
    const amount = phase === 'writing' ? value : Math.round(value / seconds);
    const rate = phase === 'sending' ? (amount / 1e6).toFixed(1) : amount.toLocaleString('en');
    this.bar?.setTotal(total);
    this.bar?.update(value, { rate });
  }
}

function shorten(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
}
