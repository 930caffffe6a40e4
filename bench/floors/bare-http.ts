/** The floor for reads: a `node:http` server that runs one statement and returns its rows as JSON, without router and validation. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'pg';

const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 10 });

/** `GET /?sql=…&after=…`: the benchmark sends the statement, so that it is identical to the statement of the service. */
async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const query = new URL(request.url!, 'http://localhost').searchParams;
  const after = query.get('after');
  const { rows } = await pool.query(query.get('sql')!, after === null ? [] : [after]);
  const body = JSON.stringify(rows);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

const server = createServer((request, response) => {
  reply(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
});
server.listen(0, '127.0.0.1', () => process.send!(server.address()));
process.on('disconnect', () => process.exit(0));
