import type { Environment } from './environment.js';

/**
 * Returns what an operator should change although the service can start, one line each, which begins with the name of
 * the setting: with DATABASE_URL the rows survive the machine of the instance, and other instances may use them, so
 * files must, too.
 */
export function findWarnings({ DATABASE_URL, S3_BUCKET, DATA_DIR }: Environment): string[] {
  if (DATABASE_URL === undefined || S3_BUCKET !== undefined) return [];
  return [
    `DATA_DIR: files are stored in ${DATA_DIR}/files. Use a persistent volume that all instances of this database share, ` +
      'or set S3_BUCKET (docs/how-to/operating.md#store-files)',
  ];
}
