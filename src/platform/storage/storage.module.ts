import { Global, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { DiskStorage } from './disk-storage.js';
import { FileStorage } from './file-storage.js';

/** File storage: an S3-compatible storage if it is configured, else the local disk. */
@Global()
@Module({ providers: [{ provide: FileStorage, inject: [Config], useFactory: createStorage }], exports: [FileStorage] })
export class StorageModule {}

async function createStorage(config: Config): Promise<FileStorage> {
  const { s3 } = config.storage;
  if (!s3) return new DiskStorage(config);
  // Loaded only if needed, because the client is large.
  const { S3Storage } = await import('./s3-storage.js');
  return new S3Storage(s3);
}
