import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { CleanupJobs } from '../jobs/cleanup-jobs.js';
import { FileBodies } from './file-bodies.js';
import { FilePolicy } from './file-policy.js';
import { FormFiles } from './form-files.js';
import { JsonFiles } from './json-files.js';
import { TemporaryFiles } from './temporary-files.js';
import { BodyMemory } from './body-memory.js';
import { RequestBodyReader } from './request-body-reader.js';

/** How files come in: from multipart/form-data and from JSON, by the same rules. */
@Global()
@Module({
  providers: [FilePolicy, FormFiles, JsonFiles, TemporaryFiles, FileBodies, BodyMemory, RequestBodyReader],
  exports: [FileBodies, RequestBodyReader],
})
export class BodyModule implements OnModuleInit {
  constructor(
    private readonly spool: TemporaryFiles,
    private readonly cleanup: CleanupJobs,
  ) {}

  async onModuleInit(): Promise<void> {
    this.cleanup.register('old files of the spool', (batch) => this.spool.removeOld(batch));
    await this.spool.removeOld();
  }
}
