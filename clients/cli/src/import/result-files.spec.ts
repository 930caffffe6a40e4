import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readNdjson } from '../files/ndjson.js';
import { toBlocks, toLines } from '../files/text-blocks.js';
import { ResultFiles, type ResultRow } from './result-files.js';

it('a rejected object is recognized, also if its columns are numbers or have the names of errors', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'atrium-results-'));
  try {
    const options = {
      header: [],
      deletedKey: undefined,
      hasSkipped: false,
      delimiter: ',',
      readsText: () => false,
    };
    const files = await ResultFiles.open(directory, { ...options, kind: 'ndjson' });
    const row: ResultRow = { line: 3, names: ['1000', 'line', 'code'], cells: ['x', 9, 'A'] };
    await files.append('rejected', [{ ...row, error: { code: 'type_mismatch', column: '1000', message: 'invalid' } }]);
    const onRejectedRow = jest.fn();
    const text = toBlocks(createReadStream(join(directory, 'rejected.ndjson'), 'utf8'));
    for await (const rows of readNdjson(toLines(text), onRejectedRow))
      expect(rows).toEqual([{ ...row, line: 1, origin: 3, problem: undefined }]);
    expect(onRejectedRow).toHaveBeenCalledTimes(1);
  } finally {
    await rm(directory, { recursive: true });
  }
});
