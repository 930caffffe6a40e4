import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { Jobs } from '../jobs/jobs.js';
import { BodyMemory } from './body-memory.js';
import { BodyReceiver } from './body-receiver.js';
import { FilePolicy } from './file-policy.js';
import { FormFiles } from './form-files.js';
import { JsonFiles } from './json-files.js';
import { RequestBodyReader } from './request-body-reader.js';
import { TemporaryFiles } from './temporary-files.js';

/** Reads all request bodies: JSON, forms and files, within limits of memory, disk and time. */
@Global()
@Module({
  providers: [BodyMemory, FilePolicy, FormFiles, JsonFiles, TemporaryFiles, BodyReceiver, RequestBodyReader],
  exports: [BodyReceiver, RequestBodyReader, TemporaryFiles],
})
export class BodyModule implements OnModuleInit {
  constructor(
    private readonly files: TemporaryFiles,
    private readonly jobs: Jobs,
  ) {}

  async onModuleInit(): Promise<void> {
    this.jobs.cleanUp('abandoned temporary files', (batch) => this.files.removeAbandoned(batch));
    await this.files.removeAbandoned();
  }
}
