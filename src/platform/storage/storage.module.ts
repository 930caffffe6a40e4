import { Global, Module } from '@nestjs/common';
import { Config } from '../config/config.js';
import { DiskStorage } from './disk-storage.js';
import { FileStorage } from './file-storage.js';

/** Where files lie: an object storage where one is set, else this machine's disk. */
@Global()
@Module({ providers: [{ provide: FileStorage, inject: [Config], useFactory: storageOf }], exports: [FileStorage] })
export class StorageModule {}

async function storageOf(config: Config): Promise<FileStorage> {
  const { s3 } = config.storage;
  if (!s3) return new DiskStorage(config);
  // Loading its client takes a while, which those who have no object storage need not wait.
  const { S3Storage } = await import('./s3-storage.js');
  return new S3Storage(s3);
}
