import { accessSync, constants, mkdirSync } from 'node:fs';
import { EnvironmentError } from './environment-error.js';

/** Creates DATA_DIR if it is absent. @throws {EnvironmentError} if the process cannot write to it. */
export function requireDataDirectory(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isOtherFile = code === 'EEXIST' || code === 'ENOTDIR';
    throw new EnvironmentError([
      `DATA_DIR: ${dataDir} ${isOtherFile ? 'is not a directory' : `cannot be written (${code})`}`,
    ]);
  }
}
