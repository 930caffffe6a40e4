import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import type { Application } from 'express';
import { ServedText } from './served-text.js';

/** The files of `clients/build/downloads.mjs`. */
const DOWNLOADS = [
  { name: 'atrium-client.tgz', type: 'application/gzip', isCompressible: false },
  { name: 'atrium.mjs', type: 'text/javascript; charset=utf-8', isCompressible: true },
];

/**
 * Serves the client and the command line at `/downloads`, in the version of the service. The build writes them to
 * `dist/downloads`; `npm run start:dev` does not build them.
 */
export function serveDownloads(app: INestApplication): void {
  const folder = join(import.meta.dirname, '../../downloads');
  const express = app.getHttpAdapter().getInstance() as Application;
  for (const { name, type, isCompressible } of DOWNLOADS) {
    let file: Promise<ServedText | undefined> | undefined;
    express.get(`/downloads/${name}`, async (request, response, next) => {
      file ??= readIfExists(join(folder, name)).then(
        (content) => content && new ServedText(content, type, isCompressible),
      );
      const served = await file;
      if (!served) next();
      else await served.send(request, response.attachment(name));
    });
  }
}

async function readIfExists(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
