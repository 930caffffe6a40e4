import type { SingleBar } from 'cli-progress';
import type { Output } from '../output.js';

/** Shows bytes, rate and remaining time of a file on a terminal. */
export class Progress {
  private bar: SingleBar | undefined;
  private timer: NodeJS.Timeout | undefined;

  static async start(output: Output, name: string, size: number, position: () => number): Promise<Progress> {
    const progress = new Progress();
    if (!output.isInteractive) return progress;
    const { default: cliProgress } = await import('cli-progress');
    const format = `${name} {bar} {percentage} % | {rate} MB/s | {eta_formatted} left`;
    progress.bar = new cliProgress.SingleBar(
      { format, clearOnComplete: true, hideCursor: true, stream: process.stderr, etaBuffer: 50 },
      cliProgress.Presets.shades_classic,
    );
    const startedAt = Date.now();
    progress.bar.start(size, 0, { rate: '0.0' });
    progress.timer = setInterval(() => {
      const rate = position() / 1e6 / Math.max(0.001, (Date.now() - startedAt) / 1000);
      progress.bar?.update(position(), { rate: rate.toFixed(1) });
    }, 200);
    return progress;
  }

  stop(): void {
    clearInterval(this.timer);
    this.bar?.stop();
  }
}
