import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './service.js';
import { isNightly } from './suites.mjs';

/**
 * Declares the tests of all fast specs of a folder and its subfolders in the suite that calls it. A suite takes one or
 * two seconds of CPU time before its first test, for the environment of Jest and the modules that it loads, which is
 * more than the tests of most specs take.
 *
 * @param otherFolders subfolders whose specs another suite joins.
 */
export function joinSpecs(folder: string, otherFolders?: string[]): void {
  for (const path of listSpecs(folder, otherFolders))
    describe(path, () => {
      // What a spec replaces is not replaced for the next one.
      afterAll(() => {
        jest.useRealTimers();
        jest.restoreAllMocks();
      });
      jest.requireActual(join(ROOT, path));
    });
}

/** @returns the paths of the fast specs of a folder. */
export function listSpecs(folder: string, otherFolders: string[] = []): string[] {
  const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('.spec.ts') && !file.endsWith('.fixture.spec.ts') && !file.includes('node_modules'))
    .map((file) => `${folder}/${file}`)
    .filter((path) => !isNightly(path) && !otherFolders.some((other) => path.startsWith(`${other}/`)))
    .sort();
}
