/** The floor for uploads: a `node:http` server that writes the body to a file and hashes it. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const [folder = '.'] = process.argv.slice(2);

async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const hash = createHash('sha256');
  const path = join(folder, randomUUID());
  request.on('data', (chunk: Buffer) => hash.update(chunk));
  await pipeline(request, createWriteStream(path));
  response.writeHead(201, { 'content-type': 'text/plain' }).end(hash.digest('hex'));
  await rm(path);
}

const server = createServer((request, response) => {
  reply(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
});
server.listen(0, '127.0.0.1', () => process.send!(server.address()));
process.on('disconnect', () => process.exit(0));
