/** A floor for reads: a server of Node's own that runs one statement and answers its rows as JSON. No router, no rule. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'pg';

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });

/** `GET /?sql=…&after=…`: the statement comes from the benchmark, so that it is the service's own, character by character. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const query = new URL(request.url!, 'http://localhost').searchParams;
  const after = query.get('after');
  const { rows } = await pool.query(query.get('sql')!, after === null ? [] : [after]);
  const body = JSON.stringify(rows);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
});
server.listen(0, '127.0.0.1', () => process.send!(server.address()));
process.on('disconnect', () => process.exit(0));
