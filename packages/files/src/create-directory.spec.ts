import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDirectory } from './create-directory.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'atrium-directory-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function codeOf(path: string): Promise<string | undefined> {
  try {
    return await createDirectory(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

it('creates a directory with its parents, and returns the first one', async () => {
  const directory = join(folder, 'a', 'b', 'c');
  expect(await createDirectory(directory, 0o700)).toBe(join(folder, 'a'));
  for (const path of [directory, join(folder, 'a')]) expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(await createDirectory(directory)).toBeUndefined();
  expect(await createDirectory(join(directory, 'd'))).toBe(join(directory, 'd'));
});

it('creates a directory through a link, and below the working directory', async () => {
  mkdirSync(join(folder, 'target'));
  symlinkSync(join(folder, 'target'), join(folder, 'link'));
  expect(await createDirectory(join(folder, 'link', 'a'))).toBe(join(folder, 'link', 'a'));
  expect(existsSync(join(folder, 'target', 'a'))).toBe(true);
  expect(await createDirectory('.')).toBeUndefined();
});

it('creates a directory once for concurrent calls', async () => {
  const directory = join(folder, 'a', 'b');
  const first = await Promise.all(Array.from({ length: 10 }, () => createDirectory(directory)));
  expect(first.filter((path) => path === join(folder, 'a'))).toHaveLength(1);
  expect(existsSync(directory)).toBe(true);
});

it('rejects a path that the system does not create, instead of repeating the attempt', async () => {
  writeFileSync(join(folder, 'file'), '');
  symlinkSync(join(folder, 'absent'), join(folder, 'dangling'));
  // Node's recursive mkdir never ends there. Only root may try to create a directory.
  expect(await codeOf('/proc/atrium/a')).toMatch(/^(ENOENT|EACCES)$/);
  expect(await codeOf(join(folder, 'dangling', 'a', 'b'))).toBe('ENOENT');
  expect(await codeOf(join(folder, 'dangling'))).toBe('EEXIST');
  expect(await codeOf(join(folder, 'file'))).toBe('EEXIST');
  expect(await codeOf(join(folder, 'file', 'a', 'b'))).toBe('ENOTDIR');
  expect(await codeOf(join(folder, 'x'.repeat(300), 'a'))).toBe('ENAMETOOLONG');
});
