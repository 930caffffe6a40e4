import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { UnavailableError } from '../../../../packages/errors/src/domain-error.js';
import type { ImportRun } from './import-run.js';
import { IMPORT_ERRORS } from './imports.errors.js';

/**
 * The imports that this instance receives or executes. They may take hours, so they do not delay its stop: they fail as
 * soon as it accepts no more requests, and another instance accepts the same request again.
 */
@Injectable()
export class RunningImports implements OnModuleDestroy {
  private readonly runs = new Set<ImportRun>();
  private isStopping = false;

  /** Adds the run until it stops. @throws {UnavailableError} if the instance received SIGTERM. */
  add(run: ImportRun): void {
    if (this.isStopping) throw new UnavailableError(IMPORT_ERRORS.instance_stopping);
    this.runs.add(run);
    run.onStop(() => this.runs.delete(run));
  }

  async onModuleDestroy(): Promise<void> {
    this.isStopping = true;
    await Promise.all([...this.runs].map((run) => run.abort(new UnavailableError(IMPORT_ERRORS.instance_stopping))));
  }
}
